// What one tenant's transactions wait for, held from outside, while another tenant goes on.
import { chosen, sleep } from '../stand.mjs'

const length = 8000 // ms
const slug = 'locked'

// The key of the scope's advisory lock (libs/pg/connection.hpp), production.
const advisory = `SELECT pg_advisory_lock((83::bigint << 56) | (2 * tenant_id)) FROM tenants WHERE slug = '${slug}'`

// Rows that are held, of tables that each service writes most. What a transaction holds already is left out, so that neither waits for the other.
const hot = {
    feedback: ['feedbacks', 'replies'], 'auth-mfa': ['users', 'sessions'], notify: ['notifications', 'templates'],
    billing: ['entitlements', 'products'],
}
const rows = ({ name }) => hot[name].map(table => {
    const column = table === 'products' || table === 'templates' ? 'tenant_id' : 'scope_id / 2'
    return `SELECT count(*) FROM (SELECT FROM ${table} WHERE ${column} = (SELECT tenant_id FROM tenants WHERE slug = '${slug}')
        FOR UPDATE SKIP LOCKED) AS held`
})

const holding = statementsOf => ({
    prepare: ({ stand }) => stand.makeLoads(20, chosen, slug),
    async inflict({ stand, loads, name, report }) {
        const held = chosen.map(service => stand.postgres.sql(service.database,
            [...statementsOf(service), `SELECT pg_sleep(${length / 1000})`].join('; ')))
        await sleep(500) // until it is held
        const from = performance.now()
        await Promise.all(held)
        const to = performance.now()
        for (const { service, figures } of loads) {
            report.figure(name, service.name, 'requests of other tenants refused', figures.refusedBetween(from, to).length, 0, 0)
            report.figure(name, service.name, 'seconds of their slowest', figures.slowestBetween(from, to) / 1000, 1, length / 2000)
            report.atLeast(name, service.name, 'writes of other tenants acknowledged', figures.answeredBetween(from, to), 20)
        }
    },
})

export const lockFaults = {
    "one tenant's advisory lock held 8 s": holding(() => [advisory]),
    "one tenant's rows locked 8 s": holding(rows),
}
