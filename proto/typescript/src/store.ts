/** A value with listeners, in the shape that `useSyncExternalStore` of React takes. Every change makes a new state object. */
export class Store<State extends object> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The current state. */
  get state(): State {
    return this.#state;
  }

  /** Calls the listener after each change. Returns a function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = (): void => listener();
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.opened();
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.closed();
    };
  };

  /** Changes members of the state. */
  protected change(changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of [...this.#listeners]) listener();
  }

  /** Called after the first listener came. */
  protected opened(): void {}

  /** Called after the last listener left. */
  protected closed(): void {}
}
