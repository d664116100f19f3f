// Runs a fault with all named services under load, and judges the result. A fault is an object with:
//   needs      the feature of the stand that the fault requires (`proxied`, `smallDisk`)
//   prepare    runs before the load; may return additional loads
//   inflict    injects the fault. When it returns, the fault is over and recovery begins
//   restore    runs after the load has ended
//   mayRepeat  whether a delivery may be repeated, under the same key
// Each function gets {stand, loads, extra, name, report}: `extra` are the loads that `prepare` returned, `name` is the fault's name, and
// `report` collects figures.
import { eventually } from '../upgrade/processes.mjs'
import { Report } from './report.mjs'
import { head, row, say, sleep } from './stand.mjs'

const answersAfter = 20 // acknowledged writes until a service counts as recovered
const patience = 60 // seconds until a service must have recovered

const sum = (verdicts, figure) => verdicts.reduce((total, verdict) => total + (verdict[figure]?.length ?? verdict[figure] ?? 0), 0)
const answered = (load, since) => load.figures.answeredSince(since) >= answersAfter

export class Trials {
    report = new Report()
    #outcomes = []
    #leftOut = []

    constructor(stand, loads) { Object.assign(this, { stand, loads }) }

    async suffer(name, fault) {
        const { stand, loads } = this
        if (fault.needs && !stand[fault.needs]) return void this.#leftOut.push(name)
        say(name)
        const trial = { stand, loads, name, report: this.report }
        trial.extra = await fault.prepare?.(trial) ?? []
        const all = [...loads, ...trial.extra]
        for (const load of all) load.reset()
        await Promise.all(all.map(load => load.start()))
        const begun = performance.now()
        await eventually('the load runs', () => all.every(load => answered(load, begun)))
        await fault.inflict(trial)
        const over = performance.now()
        await eventually('every service has recovered', () => all.every(load => answered(load, over)), patience)
            .catch(() => this.#stillDown(name, all, over))
        await sleep(2000)
        await Promise.all(all.map(load => load.stop()))
        await fault.restore?.(trial)
        stand.expected.clear()
        for (const load of all) {
            this.#outcomes.push({ name, fault, load, who: this.#nameOf(load), book: load.book, figures: load.figures.copy(), over })
        }
    }

    #nameOf(load) {
        const { name } = load.service
        return this.loads.includes(load) ? name : `${name}, tenant ${load.host.split('.')[0]}`
    }

    #stillDown(name, all, over) {
        for (const load of all.filter(each => !answered(each, over))) {
            this.report.wrong.push(`${name}: ${this.#nameOf(load)} has not recovered in ${patience} s`)
        }
    }

    // Prints the tables and returns the failures. Call it once, at the end, because the jobs of a killed worker wait for a minute.
    async judge() {
        say('looking for acknowledged writes')
        head('fault', 'service', 'acknowledged', 'found', 'lost', 'doubled', 'committed without an answer', 'delivered again', 'errors seen',
            'seconds to recover', 'slowest answer, s')
        const loads = new Set([...this.loads, ...this.#outcomes.map(({ load }) => load)])
        const wrong = [...[...loads].flatMap(load => load.figures.failures), ...this.stand.complaints]
        for (const outcome of this.#outcomes) {
            wrong.push(...await judge(outcome).catch(error => [`${outcome.name}: ${outcome.who}: ${error.stack}`]))
        }
        for (const name of this.#leftOut) row(name, 'skipped: needs root, to mount a tmpfs', ...Array(9).fill(''))
        this.report.print()
        return [...wrong, ...this.report.wrong]
    }
}

// A line for each kind of response that the fault does not explain.
function unexpectedOf({ unexpected }) {
    const kinds = new Map()
    for (const { kind, failure } of unexpected) kinds.has(kind) ? kinds.get(kind).push(failure) : kinds.set(kind, [failure])
    return [...kinds].map(([kind, all]) => `${all.length} × ${kind}: ${all[0]}`)
}

// Prints a row and returns the failures.
async function judge({ name, fault, load, who, book, figures, over }) {
    load.book = book
    const verdicts = await load.verify(fault), repeated = sum(verdicts, 'repeated')
    const errors = [...figures.errors].map(([kind, n]) => `${n} × ${kind === 'socket' ? 'hung up' : kind}`).join(', ')
    row(name, who, ...['acknowledged', 'found', 'lost', 'doubled'].map(figure => sum(verdicts, figure)),
        `${sum(verdicts, 'unansweredFound')} of ${sum(verdicts, 'unanswered')}`, repeated, errors || 'none',
        figures.recoveredAfter(over).toFixed(1), (figures.slowest / 1000).toFixed(1))
    return [
        ...unexpectedOf(figures).map(line => `${name}: ${who}: ${line}`),
        ...verdicts.flatMap(({ what, lost }) => lost.map(mark => `${name}: ${who} has lost ${what} ${mark}`)),
        ...verdicts.flatMap(({ what, doubled }) => doubled.map(mark => `${name}: ${who} has doubled ${what} ${mark}`)),
        ...fault.mayRepeat ? [] : verdicts.filter(verdict => verdict.repeated > 0)
            .map(verdict => `${name}: ${who} has delivered ${verdict.repeated} of ${verdict.what} again`),
    ]
}
