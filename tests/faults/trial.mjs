// A fault while all services that were named are under load, and the verdict. A fault is
//   needs      what the stand has to have for it (`proxied`, `smallDisk`)
//   prepare    before the load runs; may yield more loads, which run beside the others
//   inflict    what is done. When it ends the fault is over, and recovering begins
//   restore    after the load has ended
//   mayRepeat  whether a delivery may come again, under its key
// each called with {stand, loads, extra, name, report}: the loads, those of `prepare`, the fault's name, and where figures go.
import { eventually } from '../upgrade/processes.mjs'
import { Report } from './report.mjs'
import { head, row, say, sleep } from './stand.mjs'

const answersAfter = 20 // of a service, until it has recovered
const patience = 60 // seconds for recovering

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

    // At the end, and once: what a worker held that was killed waits for a minute. Prints the tables, yields what is wrong.
    async judge() {
        say('looking for what was acknowledged')
        head('fault', 'service', 'acknowledged', 'found', 'lost', 'doubled', 'there of those unanswered', 'delivered again', 'errors seen',
            'seconds to recover', 'slowest answer, s')
        const loads = new Set([...this.loads, ...this.#outcomes.map(({ load }) => load)])
        const wrong = [...[...loads].flatMap(load => load.figures.failures), ...this.stand.complaints]
        for (const outcome of this.#outcomes) {
            wrong.push(...await judge(outcome).catch(error => [`${outcome.name}: ${outcome.who}: ${error.stack}`]))
        }
        for (const name of this.#leftOut) row(name, 'left out: no tmpfs may be mounted here, which takes root', ...Array(9).fill(''))
        this.report.print()
        return [...wrong, ...this.report.wrong]
    }
}

// A line for each kind of answer that no fault explains.
function unexpectedOf({ unexpected }) {
    const kinds = new Map()
    for (const { kind, failure } of unexpected) kinds.has(kind) ? kinds.get(kind).push(failure) : kinds.set(kind, [failure])
    return [...kinds].map(([kind, all]) => `${all.length} × ${kind}: ${all[0]}`)
}

// Prints a row; yields what is wrong.
async function judge({ name, fault, load, who, book, figures, over }) {
    load.book = book
    const verdicts = await load.verify(), repeated = sum(verdicts, 'repeated')
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
