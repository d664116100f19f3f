// Measures anonymous reads of the board: the pages for browsers, the JSON, and a list by an API key for comparison. The board is that of a
// tenant with `count` public threads.
import { writeFileSync } from 'node:fs'
import { addTable, alternate, env, listFile, wrk } from './lib.mjs'
import { atLeast, grouped, k, us } from './report.mjs'

// `slug`: the tenant, whose production scope has the threads from the number `first` on. `idOf(n)`: the id of thread n.
export async function measureBoard({ base, sql, call, slug, key, first, count, idOf }) {
    const authorization = `Bearer ${key}`
    await call('PATCH', '/v1/settings', { publicBoard: true }, { authorization })
    sql(`UPDATE feedbacks SET visibility = 'public', vote_count = substr(feedback_id::text, 25)::bigint % 97
         WHERE feedback_id BETWEEN '${idOf(first)}' AND '${idOf(first + count - 1)}'`)
    sql('VACUUM (ANALYZE) feedbacks')
    const host = `${slug}.feedback.localhost`
    const reads = (name, lines, coding) => {
        writeFileSync(listFile(name), lines.join('\n') + '\n')
        return () => wrk(base, listFile(name), env.FEEDBACK_PID, { host, coding })
    }
    const pages = ['GET /board -', 'GET /board?sort=createdAt -', 'GET /board/roadmap -']
    const posts = Array.from({ length: 200 }, (_, n) => `GET /board/posts/${idOf(first + n)} -`)
    const r = await alternate('board', {
        list: reads('board-list', [`GET /v1/feedbacks?limit=20 ${key}`]),
        page: reads('board-page', pages, 'gzip'),
        plain: reads('board-plain', pages),
        post: reads('board-post', posts),
        json: reads('board-json', ['GET /board/threads -', 'GET /board/threads?sort=createdAt -']),
    })
    const row = (label, figures, limit) => [label, k(figures.rate), us(figures.cpu), us(figures.database),
        limit ? atLeast(`${label}: rate ÷ list`, figures.rate / r.list.rate, limit) : `${(figures.rate / r.list.rate).toFixed(2)} ×`]
    addTable([`board of ${grouped(count)} threads, read without a credential`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL', 'rate ÷ list'], [
        ['list of 20 with an API key', k(r.list.rate), us(r.list.cpu), us(r.list.database), '1 ×'],
        row('pages: list and roadmap, as browsers read them (gzip)', r.page, 3),
        row('pages: list and roadmap, without compression', r.plain),
        row('pages: 200 threads', r.post),
        row('JSON', r.json),
    ])
    return r
}
