// The regular expressions of libphonenumber as one deterministic automaton over digits. They consist of digits, classes of digits
// (`\d`, `[2-9]`), groups, alternatives and the repetitions `?`, `{3}` and `{3,5}`.


/** Parses a class without its brackets, such as `2-47\d`, to a set of digits. */
function digitsOf(text) {
  let set = 0;
  for (const [, first, last = first] of text.replaceAll("\\d", "0-9").matchAll(/(\d)(?:-(\d))?/g))
    for (let digit = Number(first); digit <= Number(last); ++digit) set |= 1 << digit;
  return set;
}

/** Parses an expression to a tree of {set}, {sequence}, {alternatives} and {repeated, least, most}. */
function parse(expression) {
  let rest = expression;
  const take = (pattern) => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(match[0].length);
    return match;
  };
  const fail = () => {
    throw new Error(`The expression ${expression} is not supported from \`${rest}\` on.`);
  };
  const atom = () => {
    if (take(/^\((?:\?:)?/)) {
      const inner = alternatives();
      return take(/^\)/) ? inner : fail();
    }
    const set = take(/^\\d|^\[((?:\d(?:-\d)?|\\d)+)\]|^\d/) ?? fail();
    return { set: digitsOf(set[1] ?? set[0]) };
  };
  const repeated = () => {
    let tree = atom();
    for (let match; (match = take(/^\?|^\{(\d+)(?:,(\d+))?\}/)); ) {
      const [, least = 0, most = least || 1] = match;
      tree = { repeated: tree, least: Number(least), most: Number(most) };
    }
    return tree;
  };
  const sequence = () => {
    const parts = [];
    while (rest && !/^[|)]/.test(rest)) parts.push(repeated());
    return { sequence: parts };
  };
  const alternatives = () => {
    const parts = [sequence()];
    while (take(/^\|/)) parts.push(sequence());
    return { alternatives: parts };
  };
  const tree = alternatives();
  return rest ? fail() : tree;
}

/** An automaton is built by `add`, then read by `next` and `matches`. Its states are numbers; it starts in `start()`. */
export class Automaton {
  #nodes = [{ moves: [] }]; // of the nondeterministic automaton; the first is its start. A node has {moves, set?, to?, tag?}
  #states = []; // of the deterministic automaton: {nodes, next, tags}
  #known = new Map(); // from a list of nodes to the state

  /** Adds an expression that matches whole numbers. `tag` is any value that names the expression. */
  add(expression, tag) {
    const last = this.#build(parse(expression), this.#node(0));
    this.#nodes[last].tag = tag;
  }

  start() {
    return this.#state([0]);
  }

  /** The state after one more digit. */
  next(state, digit) {
    const { nodes, next } = this.#states[state];
    next[digit] ??= this.#state(nodes.map((node) => this.#nodes[node]).filter(({ set }) => (set >> digit) & 1).map(({ to }) => to));
    return next[digit];
  }

  /** The tags of the expressions that match the digits read so far. */
  matches(state) {
    return this.#states[state].tags;
  }

  /** Whether no expression can match, whatever digits follow. */
  isDead(state) {
    return this.#states[state].nodes.length === 0;
  }

  /** Adds a node that is reached from `from` without a digit. */
  #node(from) {
    const node = this.#nodes.push({ moves: [] }) - 1;
    this.#nodes[from].moves.push(node);
    return node;
  }

  /** Adds the nodes of `tree` after the node `from`, and returns the last. */
  #build(tree, from) {
    if (tree.set) {
      const first = this.#node(from);
      const last = this.#nodes.push({ moves: [] }) - 1;
      Object.assign(this.#nodes[first], { set: tree.set, to: last });
      return last;
    }
    if (tree.sequence) return tree.sequence.reduce((last, part) => this.#build(part, last), from);
    const ends = [];
    if (tree.alternatives) for (const part of tree.alternatives) ends.push(this.#build(part, this.#node(from)));
    else {
      let last = from;
      for (let count = 0; count <= tree.most; ++count) {
        if (count > 0) last = this.#build(tree.repeated, this.#node(last));
        if (count >= tree.least) ends.push(last);
      }
    }
    const end = this.#node(ends[0]);
    for (const other of ends.slice(1)) this.#nodes[other].moves.push(end);
    return end;
  }

  #state(from) {
    const reached = new Set(from);
    for (const node of reached) for (const other of this.#nodes[node].moves) reached.add(other);
    const nodes = [...reached].filter((node) => this.#nodes[node].set || this.#nodes[node].tag !== undefined).sort((a, b) => a - b);
    const key = nodes.join();
    if (!this.#known.has(key)) {
      const tags = nodes.map((node) => this.#nodes[node].tag).filter((tag) => tag !== undefined);
      this.#known.set(key, this.#states.push({ nodes, next: [], tags }) - 1);
    }
    return this.#known.get(key);
  }
}

