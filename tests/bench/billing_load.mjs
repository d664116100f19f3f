// What the benchmarks of billing share: tenants, entitlements, signed events and load. Every event is signed and new.
import { execFile } from 'node:child_process'
import { createHmac, randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Connection } from './connections.mjs'
import { charged, database, env, freshId, here, listFile, note, operator, options, seconds } from './lib.mjs'
import { grouped } from './report.mjs'

export const tenants = 500
export const scopes = 2 * tenants
export const users = Math.max(Number(options.users ?? 1_000_000), scopes)
export const port = Number(env.BILLING_PORT)
export const base = `http://127.0.0.1:${port}`
export const pid = env.BILLING_PID
export const secret = 'whsec_bench'
export const price = 'price_pro_monthly'
export const { sql, pgbench } = database('billing')
export const { insertTenants } = operator(base, sql)
const execute = promisify(execFile)
const hostOf = n => `bench-${1 + Math.floor(n % scopes / 2)}${n % 2 ? '-sandbox' : ''}.${env.BILLING_HOST}`

// Removes dead rows and updates statistics of the tables that events write, and writes a checkpoint, so that this work does not fall into a
// measurement.
export function settle(query = sql) {
    query('VACUUM (ANALYZE) entitlements, payment_subscriptions, event_claims, events, stats_days, stats_months, stats_mrr')
    query('CHECKPOINT')
}

// --- data ------------------------------------------------------------------------------------------------------------------------

// Creates the secret and the product of each tenant. Returns the keys of all scopes, in order.
async function configure() {
    const connection = new Connection(port)
    const keys = []
    for (let n = 0; n < scopes; n++) {
        if (n % 100 === 0) note(`tenants: ${n / 2} of ${tenants}`)
        const host = hostOf(n)
        if (n % 2 === 0) {
            await connection.ask(200, 'PATCH', host, '/v1/settings', env.MASTER_KEY, { paymentsSigningSecrets: [secret] })
            const product = { providerProductId: price, name: 'Pro', kind: 'subscription', features: ['export', 'sync'], grants: [] }
            await connection.ask(201, 'POST', host, '/v1/products', env.MASTER_KEY, product)
        }
        const environment = n % 2 ? 'sandbox' : 'production'
        keys.push((await connection.ask(201, 'POST', host, '/v1/keys', env.MASTER_KEY, { environment })).key)
    }
    connection.close()
    return keys
}

// Inserts entitlements that give access, with the numbers 0 to `count` - 1, in steps. The other arguments are SQL expressions of `n`;
// `at` is the time of the purchase. Triggers of the table count the rows in the statistics.
export function insertEntitlements(count, { scope, user, product = `'${price}'`, at = 'now()', trial = 'false', currency = "'EUR'" }) {
    const step = 50_000
    for (let from = 0; from < count; from += step) {
        note(`data: ${grouped(from)} of ${grouped(count)} entitlements`)
        sql(`INSERT INTO entitlements (scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id,
                 status, purchased_at, expires_at, will_renew, last_event_type, last_event_at, last_rank, last_period_end, last_event_id,
                 last_transaction_id, created_at, updated_at, revision, access_until, renewal_until, period_type, trial_ends_at, store, quantity,
                 price_amount, price_currency, monthly_amount, is_open, access_revision)
             SELECT scope, id, username, 'purchases', product, '', '', 'active', at, ends, true, 'INITIAL_PURCHASE', at, 0, ends, 'evt-' || n, '',
                 at, at, 1, ends, ends, CASE WHEN trial THEN 'trial' ELSE 'normal' END, CASE WHEN trial THEN ends END, 'APP_STORE', 1,
                 900, currency, 900, true, 1
             FROM (SELECT n, ${scope} AS scope, ${freshId} AS id, ${user} AS username, ${product} AS product, ${at} AS at,
                     now() + interval '1 year' AS ends, ${trial} AS trial, ${currency} AS currency
                 FROM generate_series(${from}::bigint, ${Math.min(from + step, count) - 1}) n) AS r`)
    }
    settle()
}

// User n is in scope n % 1,000. Returns the first scope and the keys of all scopes.
export async function prepare() {
    insertTenants('bench', tenants)
    const first = Number(sql("SELECT min(tenant_id) * 2 FROM tenants WHERE slug LIKE 'bench-%'"))
    const keys = await configure()
    insertEntitlements(users, { scope: `${first} + n % ${scopes}`, user: "'user-' || n" })
    return { first, keys }
}

// --- load ------------------------------------------------------------------------------------------------------------------------

// Runs wrk for one round, like wrk() of lib.mjs, but each request has its own host and header. `distinct` is the number of different
// requests in the list.
export function wrk(url, file, process, { distinct = Infinity, connections = 64, length = seconds } = {}) {
    return charged(process, async () => {
        const { stdout: out } = await execute('wrk', ['-t1', `-c${connections}`, `-d${length}s`, '--latency', '-s', `${here}billing.lua`,
            url, '--', file])
        const sent = Number(/(\d+) requests in/.exec(out)[1])
        const failed = /Socket errors: .*|Non-2xx or 3xx responses: \d+/.exec(out)
        if (failed) throw new Error(`${url} ${file}: ${failed[0]} of ${sent}`)
        if (sent > distinct) throw new Error(`${file}: wrk sent ${sent} requests, but only ${distinct} are distinct. Prepare more events.`)
        const [, late, unit] = /^\s+99%\s+([\d.]+)(us|ms|s)\b/m.exec(out)
        return { sent, rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]), p99: Number(late) * { us: 0.001, ms: 1, s: 1000 }[unit] }
    })
}

let number = 0 // of the last event; an event with a higher number has a later time

// An event of subscription `n`, for the production environment if `livemode`.
function eventLine(whose, n, host, livemode) {
    const created = 1_700_000_000 + ++number, at = Math.floor(Date.now() / 1000)
    const body = JSON.stringify({
        id: `evt_${whose}${number.toString(36).padStart(16, '0')}`, object: 'event', api_version: '2026-01-28.clover', created,
        type: 'customer.subscription.updated', livemode, pending_webhooks: 1, request: { id: null, idempotency_key: null },
        data: { object: {
            id: `sub_${whose}${n}`, object: 'subscription', status: 'active', livemode, created: 1_700_000_000,
            cancel_at_period_end: false, canceled_at: null, ended_at: null, collection_method: 'charge_automatically', currency: 'eur',
            customer: `cus_${n}`, default_payment_method: 'pm_1SxQ2cLkdIwHu7ixUo9ZrV4p', latest_invoice: `in_${number}`,
            metadata: { userId: `${whose}user-${n}` },
            items: { object: 'list', has_more: false, total_count: 1, data: [{
                id: `si_${n}`, object: 'subscription_item', quantity: 1, subscription: `sub_${whose}${n}`,
                current_period_start: 1_767_225_600, current_period_end: 4_102_444_800,
                price: { id: price, object: 'price', active: true, currency: 'eur', product: 'prod_pro', type: 'recurring', unit_amount: 900,
                    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' } },
            }] },
        } },
    })
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    return `POST\t/webhooks/payments\t${host}\tStripe-Signature\tt=${at},v1=${signature}\t${body}`
}

// Sends events of random users of all scopes, or of `among` users of the production scope of `host`. `whose` is a prefix of the ids of
// users and subscriptions. `most` is the highest rate for which events are prepared.
export function ingest(url, process, { whose = '', most = 40_000, host, among = users, connections = 64 } = {}) {
    const count = Math.ceil(most * (seconds + 1))
    note(`signing ${grouped(count)} events`)
    const line = () => {
        const n = randomInt(among)
        return host ? eventLine(whose, n, host, true) : eventLine(whose, n, hostOf(n), n % 2 === 0)
    }
    writeFileSync(listFile('events'), Array.from({ length: count }, line).join('\n') + '\n')
    return wrk(url, listFile('events'), process, { distinct: count, connections })
}

export const reads = { feature: 'features/export', entitlements: 'entitlements' }

// Prepares the requests of `read`.
export function listReads(keys) {
    for (const [name, path] of Object.entries(reads)) {
        writeFileSync(listFile(name), Array.from({ length: 20_000 }, () => {
            const n = randomInt(users)
            return `GET\t/v1/users/user-${n}/${path}\t${hostOf(n)}\tAuthorization\tBearer ${keys[n % scopes]}\t`
        }).join('\n') + '\n')
    }
}
export const read = (name, url = base, process = pid) => wrk(url, listFile(name), process)
