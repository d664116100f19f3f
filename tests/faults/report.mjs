// What a fault was measured by, beside what the loads count: figures, each with its goal. A goal that is missed is shown; what is
// wrong is a figure beyond its bound, which a busy machine does not reach. With --strict, for a quiet machine, the goal is the bound.
import { head, options, row } from './stand.mjs'

const show = value => Number.isInteger(value) ? value : value.toFixed(2)

export class Report {
    wrong = []
    #rows = []

    // `seen` has to be at most `bound`, by default three times the `goal`.
    figure(fault, who, what, seen, goal, bound = 3 * goal) {
        this.#judge([fault, who, what], seen, `≤ ${goal}`, seen <= goal, seen <= bound, `at most ${goal}`)
    }

    // `seen` has to be at least `bound`, by default the `goal`.
    atLeast(fault, who, what, seen, goal, bound = goal) {
        this.#judge([fault, who, what], seen, `≥ ${goal}`, seen >= goal, seen >= bound, `at least ${goal}`)
    }

    #judge(where, seen, goal, isMet, isWithin, limit) {
        const isRight = options.strict ? isMet : isWithin
        this.#rows.push([...where, show(seen), goal, isMet ? 'yes' : isWithin ? 'no' : 'no, by far'])
        if (!isRight) this.wrong.push(`${where.join(': ')}: ${show(seen)}, which should be ${limit}`)
    }

    print() {
        if (this.#rows.length === 0) return
        console.log()
        head('fault', 'service', 'figure', 'seen', 'goal', 'met')
        for (const cells of this.#rows) row(...cells)
    }
}
