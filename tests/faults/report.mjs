// Figures of a fault, each with a goal and a bound. A missed goal is shown. A figure beyond its bound is a failure; the bound is wide
// enough for a busy machine. With --strict, for a machine without other work, the goal is the bound.
import { head, options, row } from './stand.mjs'

const show = value => Number.isInteger(value) ? value : value.toFixed(2)

export class Report {
    wrong = []
    #rows = []

    // `seen` must be at most `bound`, by default three times the `goal`.
    figure(fault, who, what, seen, goal, bound = 3 * goal) {
        this.#judge([fault, who, what], seen, `≤ ${goal}`, seen <= goal, seen <= bound, `at most ${goal}`)
    }

    // `seen` must be at least `bound`, by default the `goal`.
    atLeast(fault, who, what, seen, goal, bound = goal) {
        this.#judge([fault, who, what], seen, `≥ ${goal}`, seen >= goal, seen >= bound, `at least ${goal}`)
    }

    #judge(where, seen, goal, isMet, isWithin, limit) {
        const isRight = options.strict ? isMet : isWithin
        this.#rows.push([...where, show(seen), goal, isMet ? 'yes' : isWithin ? 'no' : 'no, beyond the bound'])
        if (!isRight) this.wrong.push(`${where.join(': ')}: ${show(seen)}, expected ${limit}`)
    }

    print() {
        if (this.#rows.length === 0) return
        console.log()
        head('fault', 'service', 'figure', 'seen', 'goal', 'met')
        for (const cells of this.#rows) row(...cells)
    }
}
