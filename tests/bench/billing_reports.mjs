// Measures the reports of billing, GET /v1/stats and GET /v1/subscribers, for one caller, over a scope with many entitlements and one with
// few. Most scopes of the database are small, so the planner's estimates are wrong for these two.
import { insertEntitlements, insertTenants, port, settle, sql } from './billing_load.mjs'
import { Connection, compose, now } from './connections.mjs'
import { addTable, env, inTurn, medians, note, options, seconds } from './lib.mjs'
import { atMost, grouped, times } from './report.mjs'

const most = Number(options.entitlements ?? 1_000_000)
const sizes = { few: Math.min(most, 10_000), many: most }
const small = { scopes: 20_000, entitlements: 10 } // of each
const products = 20, days = 366
const limit = 50 // ms

const hostOf = name => `reports-${Object.keys(sizes).indexOf(name) + 1}.${env.BILLING_HOST}`

// Inserts entitlements of purchases on each of the last days: each user has two of the products, every tenth entitlement is in a trial, and
// then ends 30 % of them.
function fill(name) {
    const slug = hostOf(name).split('.')[0]
    const scope = sql(`SELECT tenant_id * 2 FROM tenants WHERE slug = '${slug}'`)
    insertEntitlements(sizes[name], {
        scope, user: "'user-' || lpad((n / 2)::text, 7, '0')", product: `'plan-' || n % ${products}`,
        at: `now() - (n / ${products}) % ${days} * interval '1 day'`, trial: 'n % 10 = 9', currency: "(ARRAY['EUR', 'USD', 'JPY'])[1 + n % 3]",
    })
    note(`${name}: ending 30 % of the entitlements`)
    sql(`UPDATE entitlements SET status = 'expired', expires_at = ends, access_until = ends, renewal_until = NULL, will_renew = false,
             is_ended = true, is_open = false, last_event_type = 'EXPIRATION', last_event_at = ends, revision = revision + 1,
             access_revision = revision + 1
         FROM (SELECT entitlement_id AS id, least(now(), last_event_at + interval '20 days') AS ends FROM entitlements
             WHERE scope_id = ${scope} AND right(last_event_id, 1) IN ('1', '4', '7')) AS e
         WHERE scope_id = ${scope} AND entitlement_id = e.id`)
    settle()
}

const dateOf = time => new Date(time).toISOString().slice(0, 10)
const statsOf = count => `/v1/stats?from=${dateOf(Date.now() - (count - 1) * 86_400_000)}&to=${dateOf(Date.now())}`

const reports = {
    [`stats of 30 days, ${products} products`]: statsOf(30),
    [`stats of ${days} days`]: statsOf(days),
    'subscribers, first page': '/v1/subscribers',
    'subscribers of a product': '/v1/subscribers?product=plan-7',
    'subscribers with access': '/v1/subscribers?active=true',
}

// Sends a request again and again on one connection. Returns the percentiles of its duration in ms.
async function timed(host, path, key) {
    const connection = new Connection(port)
    const request = compose('GET', host, path, key)
    const durations = []
    for (const end = now() + seconds * 1000; now() < end;) {
        const began = now()
        const { status, body } = await connection.send(request)
        durations.push(now() - began)
        if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
    }
    connection.close()
    durations.sort((a, b) => a - b)
    const percentile = p => durations[Math.ceil(p / 100 * durations.length) - 1]
    return { p50: percentile(50), p95: percentile(95) }
}

async function createKey(host) {
    const connection = new Connection(port)
    for (let n = 0; n < products; n++) {
        const product = { providerProductId: `plan-${n}`, name: `Plan ${n}`, kind: 'subscription', features: ['export'], grants: [] }
        await connection.ask(201, 'POST', host, '/v1/products', env.MASTER_KEY, product)
    }
    const { key } = await connection.ask(201, 'POST', host, '/v1/keys', env.MASTER_KEY, { environment: 'production' })
    connection.close()
    return key
}

export async function reportFigures() {
    insertTenants('reports', Object.keys(sizes).length)
    insertEntitlements(small.scopes * small.entitlements, { scope: `1000000000 + n % ${small.scopes}`, user: "'user-' || n" }) // of no tenant
    const keys = {}
    for (const name of Object.keys(sizes)) {
        keys[name] = await createKey(hostOf(name))
        fill(name)
    }
    const found = {}
    for (const [label, path] of Object.entries(reports)) {
        const caller = name => () => timed(hostOf(name), path, keys[name])
        found[label] = medians(await inTurn(label, { few: caller('few'), many: caller('many') }))
    }
    return found
}

export function addReports(found) {
    const ms = n => `${n.toFixed(1)} ms`
    addTable(['one caller', `${grouped(sizes.few)} entitlements in the scope: median`, '95th percentile', `${grouped(sizes.many)}: median`,
        '95th percentile', 'ratio of medians'], Object.entries(found).map(([label, { few, many }]) => [label, ms(few.p50), ms(few.p95), ms(many.p50),
        atMost(`${label}: 95th percentile`, many.p95, limit, 'ms'), times(many.p50 / few.p50)]))
}
