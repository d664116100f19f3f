// What a fault was measured by, beside what the loads count: figures, each with its goal. A goal that is missed is shown; what is
// wrong is a figure beyond its bound, which a busy machine does not reach.
import { head, row } from './stand.mjs'

export class Report {
    wrong = []
    #rows = []

    // `seen` has to be at most `bound`, by default three times the `goal`.
    figure(fault, who, what, seen, goal, bound = 3 * goal) {
        this.#rows.push([fault, who, what, seen.toFixed(2), `≤ ${goal}`, seen <= goal ? 'yes' : seen <= bound ? 'no' : 'no, by far'])
        if (!(seen <= bound)) this.wrong.push(`${fault}: ${who}: ${what}: ${seen.toFixed(2)}, which should be at most ${goal}`)
    }

    // A count that has a least.
    atLeast(fault, who, what, seen, least) {
        this.#rows.push([fault, who, what, seen, `≥ ${least}`, seen >= least ? 'yes' : 'no, by far'])
        if (!(seen >= least)) this.wrong.push(`${fault}: ${who}: ${what}: ${seen}, which should be at least ${least}`)
    }

    print() {
        if (this.#rows.length === 0) return
        console.log()
        head('fault', 'service', 'figure', 'seen', 'goal', 'met')
        for (const cells of this.#rows) row(...cells)
    }
}
