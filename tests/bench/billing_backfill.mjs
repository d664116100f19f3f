// Measures a backfill of billing: how long it takes, and the rate of webhooks of the same and of another tenant with and without it. The
// payments provider is a stand-in that answers after 50 ms.
import { base, ingest, insertTenants, pid, port, secret } from './billing_load.mjs'
import { Connection } from './connections.mjs'
import { addTable, answers, env, here, inTurn, median, note, options, sleep, start, stop } from './lib.mjs'
import { atLeast, atMost, grouped, k } from './report.mjs'

const subscriptions = Number(options.subscriptions ?? 100_000)
const delayMs = 50
const provider = process.env.BILLING_PAYMENTS_API_URL
const hosts = { same: `backfill-1.${env.BILLING_HOST}`, other: `backfill-2.${env.BILLING_HOST}` }

async function startProvider() {
    const child = start('node', [`${here}../billing/node/payments_provider.mjs`, JSON.stringify({ port: new URL(provider).port })])
    await answers(`${provider}/test/waiting`)
    const newest = Math.floor(Date.now() / 1000) - 3600
    const generated = await fetch(`${provider}/test/subscriptions`, { method: 'PUT', body: JSON.stringify({ count: subscriptions, newest, delayMs }) })
    if (!generated.ok) throw new Error(`the stand-in answered ${generated.status}`)
    return child
}

// Calls the service with the master key.
async function ask(expected, method, host, path, body) {
    const connection = new Connection(port)
    try {
        return await connection.ask(expected, method, host, path, env.MASTER_KEY, body)
    } finally {
        connection.close()
    }
}

// Creates a backfill. `wait` calls `work` until the backfill ends, and returns the results of the calls during which it did not end.
async function backfill(work) {
    const { backfillId } = await ask(202, 'POST', hosts.same, '/v1/backfills', { source: 'payments' })
    const results = []
    for (;;) {
        const result = await work()
        const { status, startedAt, completedAt, ...counts } = await ask(200, 'GET', hosts.same, `/v1/backfills/${backfillId}`)
        if (!completedAt) {
            results.push(result)
            continue
        }
        if (status !== 'done' || counts.processed !== subscriptions) throw new Error(`the backfill is ${status}: ${JSON.stringify(counts)}`)
        return { results, took: (Date.parse(completedAt) - Date.parse(startedAt)) / 1000, changed: counts.changed }
    }
}

// The rate of webhooks of a tenant in one round.
const webhooks = name => ingest(base, pid, { whose: 'web', most: 10_000, host: hosts[name], among: subscriptions, connections: 16 })
const inBoth = () => inTurn('webhooks', { same: () => webhooks('same'), other: () => webhooks('other') })

export async function backfillFigures() {
    insertTenants('backfill', 2)
    for (const host of Object.values(hosts))
        await ask(200, 'PATCH', host, '/v1/settings', { paymentsSigningSecrets: [secret], paymentsApiKey: 'sk_live_bench' })
    const child = await startProvider()
    try {
        for (const name of Object.keys(hosts)) await webhooks(name) // fills caches
        const before = await inBoth()
        const during = await backfill(async () => ({ same: await webhooks('same'), other: await webhooks('other') }))
        if (during.results.length === 0) throw new Error('The backfill ended before the webhooks of both tenants were measured. Raise --subscriptions.')
        const after = await inBoth()
        note('the same backfill again')
        const again = await backfill(() => sleep(100))
        return { before, during, after, again }
    } finally {
        await stop(child)
    }
}

export function addBackfill({ before, during, after, again }) {
    const row = (label, { took, changed }, ...cells) => [label, grouped(changed), `${took.toFixed(0)} s`,
        grouped(Math.round(subscriptions / took)), ...cells]
    addTable([`backfill of ${grouped(subscriptions)} subscriptions`, 'changed', 'duration', 'subscriptions/s', 'duration ÷ 10 minutes per 100,000'], [
        row('with concurrent webhooks', during, atMost('backfill: duration ÷ 10 minutes per 100,000', during.took / (subscriptions * 600 / 100_000), 1)),
        row('again, without webhooks', again),
    ])
    const medianOf = (lists, figure) => median(lists.map(each => each[figure]))
    addTable(['webhooks, 16 connections', 'events/s without a backfill', 'during a backfill', 'ratio', '99th percentile without', 'during'],
        [['same', 'same tenant'], ['other', 'another tenant']].map(([name, label]) => {
            const without = [...before[name], ...after[name]], meanwhile = during.results.map(each => each[name])
            const rates = [without, meanwhile].map(lists => medianOf(lists, 'rate'))
            return [label, ...rates.map(k), atLeast(`${label}: webhooks during ÷ without a backfill`, rates[1] / rates[0], 0.8),
                ...[without, meanwhile].map(lists => `${medianOf(lists, 'p99').toFixed(1)} ms`)]
        }))
}
