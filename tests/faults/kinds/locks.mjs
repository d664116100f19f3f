// Faults in which a session of the test holds locks that one tenant's transactions need, while another tenant works normally.
import { chosen, every, sleep } from '../stand.mjs'

const length = 8000 // ms

// The key of the advisory lock of the tenant's production scope (libs/pg/connection.hpp).
const advisory = (service, slug) => `SELECT pg_advisory_lock((83::bigint << 56) | (2 * tenant_id)) FROM tenants WHERE slug = '${slug}'`

// The tables that each service writes most.
const hot = {
    feedback: ['feedbacks', 'replies'], 'auth-mfa': ['users', 'sessions'], notify: ['notifications', 'templates'],
    billing: ['entitlements', 'products'],
}

// Locks the tenant's rows in these tables. Skips rows that a transaction of the service has already locked. So the test's session never waits
// for a row, and no deadlock is possible.
const rows = ({ name }, slug) => hot[name].map(table => {
    const column = table === 'products' || table === 'templates' ? 'tenant_id' : 'scope_id / 2'
    return `SELECT count(*) FROM (SELECT FROM ${table} WHERE ${column} = (SELECT tenant_id FROM tenants WHERE slug = '${slug}')
        FOR UPDATE SKIP LOCKED) AS held`
})

// Sends writes without waiting for the responses, so that many writes wait for the lock.
async function press(load, time) {
    const sent = []
    await every(100, time, () => {
        const client = load.client()
        sent.push(load.trigger(client).catch(() => {}).finally(() => client.close()))
    })
    return Promise.all(sent)
}

// `slug` names the tenant. `statementsOf(service, slug)` returns the statements that take the locks.
const holding = (slug, statementsOf) => ({
    prepare: ({ stand }) => stand.makeLoads(20, chosen, slug),
    async inflict({ stand, loads, extra, name, report }) {
        const held = chosen.map(service => stand.postgres.sql(service.database,
            [...[statementsOf(service, slug)].flat(), `SELECT pg_sleep(${length / 1000})`].join('; ')))
        await sleep(500) // until the locks are held
        const from = performance.now()
        const pressed = extra.map(load => press(load, length - 1000))
        await Promise.all(held)
        const to = performance.now()
        await Promise.all(pressed)
        for (const { service, figures } of loads) {
            report.figure(name, service.name, 'requests of other tenants refused', figures.refusedBetween(from, to).length, 0, 0)
            report.figure(name, service.name, 'seconds of their slowest request', figures.slowestBetween(from, to) / 1000, 1, length / 2000)
            report.atLeast(name, service.name, 'writes of other tenants acknowledged', figures.answeredBetween(from, to), 20)
        }
    },
})

export const lockFaults = {
    "one tenant's advisory lock held 8 s": holding('advisory', advisory),
    "one tenant's rows locked 8 s": holding('rows', rows),
}
