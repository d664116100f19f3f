// Measures the search of the feedback service in one scope with many threads: times of single requests, one after the other.
import { execFile } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { addTable, note } from './lib.mjs'
import { atMost, grouped, k } from './report.mjs'

const requests = 200 // for each kind of query
const warm_up = 50 // requests that are not counted: each connection plans a statement anew for its first five executions
const vocabulary = 20_000 // the n-th word is about n times rarer than the first one

const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))]
const pick = list => list[randomInt(list.length)]
// The same word as the SQL below makes.
const wordOf = n => createHash('md5').update(String(n)).digest('hex').replace(/\d/g, d => 'ghijklmnop'[d]).slice(0, 4 + String(n).length)
const wordBetween = (first, last) => () => wordOf(randomInt(first, last + 1))
const characters = count => () => Array.from({ length: count }, () => String.fromCodePoint(0x4e00 + randomInt(60))).join('')

function insertRows(sql, scope, rows) {
    const step = 50_000
    for (let at = 0; at < rows; at += step) {
        note(`search: ${at.toLocaleString()} of ${rows.toLocaleString()} rows`)
        sql(`INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id, author_role, user_id)
             SELECT ${scope}, ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid, t, t, 'open', 'bug', 'Export does nothing, number ' || n,
                 (SELECT string_agg(left(w.w, 4 + length(w.n::text)), ' ')
                  FROM (SELECT k.n, translate(md5(k.n::text), '0123456789', 'ghijklmnop') AS w
                        FROM (SELECT floor(${vocabulary} ^ random())::int AS n FROM generate_series(1, 20) AS g WHERE r.n >= 0) AS k) AS w)
                 || CASE WHEN n % 20 = 0 THEN ' ' || (SELECT string_agg(chr(19968 + floor(60 * random())::int), '')
                                                      FROM generate_series(1, 12) AS g WHERE r.n >= 0) ELSE '' END,
                 'bench', 'admin', 'user-' || n % 100
             FROM (SELECT n, timestamptz '2026-01-01' + n * interval '1 microsecond' AS t FROM generate_series(${at}::bigint, ${Math.min(at + step, rows) - 1}::bigint) n) AS r`)
    }
}

async function indexed(sql, settings, rows) {
    note('search: indexing')
    const begun = performance.now()
    await promisify(execFile)(`${process.env.BUILD}/services/feedback/feedback`, ['index-search'], { env: { ...process.env, ...settings } })
    const seconds = (performance.now() - begun) / 1000
    sql('VACUUM (ANALYZE) feedbacks')
    sql('VACUUM (ANALYZE) search_documents')
    return rows / seconds
}

// `settings`: the variables of the service. `key`: an API key of the scope, which has no threads yet.
export async function measureSearch({ sql, call, settings, key, scope, rows }) {
    insertRows(sql, scope, rows)
    const rate = await indexed(sql, settings, rows)
    const authorization = { authorization: `Bearer ${key}` }
    const timed = async (label, path, make) => {
        note(`search: ${label}`)
        const times = []
        for (let i = 0; i < requests + warm_up; i++) {
            const begun = performance.now()
            const page = await call('GET', path + encodeURIComponent(make()), undefined, authorization)
            if (!Array.isArray(page.items)) throw new Error(`no page: ${JSON.stringify(page)}`)
            if (i >= warm_up) times.push(performance.now() - begun)
        }
        return { median: percentile(times, 0.5), p95: percentile(times, 0.95) }
    }
    const lines = []
    const add = async (label, path, make, limit) => {
        const { median, p95 } = await timed(label, path, make)
        const shown = limit ? atMost(`search, ${label}: 95th percentile`, p95, limit, 'ms') : `${p95.toFixed(1)} ms`
        lines.push([label, `${median.toFixed(1)} ms`, shown])
    }
    const list = '/v1/feedbacks?limit=20&q='
    await add('a rare word', list, wordBetween(5_000, vocabulary - 1), 30)
    await add('a common word', list, () => pick(['export', 'does', 'nothing', wordOf(1), wordOf(2)]), 30)
    await add('a word in 1 % of the threads', list, wordBetween(250, 400))
    await add('the beginning of a word', list, () => wordOf(randomInt(5_000, vocabulary)).slice(0, 4), 30)
    await add('a common and a rare word', list, () => `export ${randomInt(rows)}`, 30)
    await add('one Chinese character', list, characters(1), 30)
    await add('three Chinese characters', list, characters(3), 30)
    await add('a rare word, by relevance', '/v1/feedbacks?sort=relevance&q=', wordBetween(5_000, vocabulary - 1))
    await add('a common word, by votes', '/v1/feedbacks?sort=votes&q=', () => 'export')
    await add('similar titles', '/v1/feedbacks/similar?title=', () => `Export does nothing, number ${randomInt(rows)}`, 30)
    await add('similar titles, common words only', '/v1/feedbacks/similar?title=', () => 'Export does nothing', 30)
    addTable([`search among ${grouped(rows)} threads of one scope, ${requests} requests each (indexed at ${k(rate)} threads/s)`, 'median', '95th percentile'],
        lines)
}
