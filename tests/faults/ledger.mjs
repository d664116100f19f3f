// Compares the acknowledged writes with the data that exist. Every write has a unique mark.
import { sleep } from '../upgrade/processes.mjs'

// The responses that a fault may cause. Any other response is a failure of the service.
const ofFaults = new Set(['502', '503', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'socket'])

// The status or the error code in a failure's text.
const kindOf = failure => /: (\S+)/.exec(failure)[1]

// Replaces the figures of tests/upgrade/client.mjs, which count every error as a failure.
export class Figures {
    failures = [] // failures of the load itself
    requests = 0
    constructor() { this.begin() }

    begin() {
        this.refusals = [] // {kind, failure, at}
        this.answers = [] // times of acknowledged writes
        this.times = [] // {begun, took} of every request
        this.slowest = 0
    }

    add(what, took, failure) {
        this.requests++
        this.slowest = Math.max(this.slowest, took)
        this.times.push({ begun: performance.now() - took, took })
        const at = performance.now()
        if (failure) this.refusals.push({ kind: kindOf(failure), failure, at, took })
        else if (!what.startsWith('GET')) this.answers.push(at)
    }

    // A copy that later requests do not change.
    copy() { return Object.assign(new Figures(), this) }

    // The longest time in ms of the requests that began between two times.
    slowestBetween(from, to) {
        return Math.max(0, ...this.times.filter(({ begun }) => begun >= from && begun < to).map(({ took }) => took))
    }
    // The refused requests that began between two times.
    refusedBetween(from, to) { return this.refusals.filter(({ at, took }) => at - took >= from && at - took < to) }
    answeredBetween(from, to) { return this.answers.filter(at => at >= from && at < to).length }

    // Removes a refusal that the load expected.
    excuse(error) { this.refusals = this.refusals.filter(({ failure }) => failure !== error.message) }

    // The kinds of errors, each with its count.
    get errors() {
        const errors = new Map()
        for (const { kind } of this.refusals) errors.set(kind, (errors.get(kind) ?? 0) + 1)
        return errors
    }
    get unexpected() { return this.refusals.filter(({ kind }) => !ofFaults.has(kind)) }

    answeredSince(time) { return this.answers.filter(at => at > time).length }

    // Seconds from `time` until writes were acknowledged and requests no longer failed.
    recoveredAfter(time) {
        const first = this.answers.find(at => at > time)
        return first === undefined ? Infinity : (Math.max(first, this.refusals.at(-1)?.at ?? 0) - time) / 1000
    }
}

export class Ledger {
    #acknowledged = new Map() // by mark: the time of the acknowledgement, or false if there is none yet

    constructor(what) { this.what = what }

    sent(mark) { if (!this.#acknowledged.has(mark)) this.#acknowledged.set(mark, false) }
    acknowledge(mark) { this.#acknowledged.set(mark, performance.now()) }
    has(mark) { return this.#acknowledged.has(mark) }
    acknowledgedBetween(from, to) {
        return [...this.#acknowledged].filter(([, at]) => at !== false && at >= from && at < to).map(([mark, at]) => ({ mark, at }))
    }
    get acknowledged() { return [...this.#acknowledged].filter(([, at]) => at !== false).map(([mark]) => mark) }

    // At most `count` acknowledged marks, evenly spread.
    sample(count) {
        const all = this.acknowledged, step = Math.max(1, Math.ceil(all.length / count))
        return all.filter((_, i) => i % step === 0)
    }

    // `found` lists the marks that exist. An unacknowledged mark may exist once.
    judge(found) {
        const times = new Map()
        for (const mark of found) if (this.#acknowledged.has(mark)) times.set(mark, (times.get(mark) ?? 0) + 1)
        const acknowledged = this.acknowledged
        return {
            what: this.what,
            acknowledged: acknowledged.length,
            found: acknowledged.filter(mark => times.has(mark)).length,
            lost: acknowledged.filter(mark => !times.has(mark)),
            doubled: [...times].filter(([, n]) => n > 1).map(([mark]) => mark),
            unanswered: this.#acknowledged.size - acknowledged.length,
            unansweredFound: [...times.keys()].filter(mark => this.#acknowledged.get(mark) === false).length,
        }
    }

    // Judges deliveries to a receiver. Each message must arrive at least once, always under the same key. `keysOf(mark)` returns the key of
    // each arrival.
    judgeDeliveries(keysOf) {
        const verdict = this.judge(this.acknowledged.flatMap(mark => [...new Set(keysOf(mark) ?? [])].map(() => mark)))
        const repeated = this.acknowledged.reduce((sum, mark) => sum + Math.max(0, (keysOf(mark)?.length ?? 0) - new Set(keysOf(mark)).size), 0)
        return { ...verdict, unanswered: 0, unansweredFound: 0, repeated }
    }
}

// Judges the messages with these `marks` at a recipient. `keysOf(mark)` returns the key of each arrival of a message.
export function judgeArrivals(what, marks, keysOf) {
    const arrivals = new Ledger(what)
    for (const mark of marks) arrivals.acknowledge(mark)
    return arrivals.judgeDeliveries(keysOf)
}

// Repeats `attempt` until it is acknowledged, with the same key each time. Returns undefined if the response is one of the expected
// `refusals`. Gives up after two minutes.
export async function insist(figures, attempt, refusals = []) {
    const deadline = performance.now() + 120_000
    for (;;) {
        try {
            return await attempt()
        } catch (error) {
            if (!error.isCounted || performance.now() > deadline) throw error
            const kind = kindOf(error.message)
            if (refusals.includes(kind)) return void figures.excuse(error)
            if (!ofFaults.has(kind)) throw error
            await sleep(100)
        }
    }
}
