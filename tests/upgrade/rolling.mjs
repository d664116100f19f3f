// Restarts every replica, one after the other, and migrates every database, while all four services are under load. No
// request may fail, and no acknowledged write may be lost or duplicated. Options: --rounds=N, and the programs: --feedback=PATH ...
import { readFileSync } from 'node:fs'
import { services } from './cluster.mjs'
import { eventually } from './processes.mjs'
import { options, say, under } from './world.mjs'

const rounds = Number(options.rounds ?? 1)

// For each service, a table and a column that its most frequent statements return.
const hot = {
    feedback: ['feedbacks', 'assignee_email'],
    'auth-mfa': ['users', 'email'],
    notify: ['notifications', 'failure_reason'],
    billing: ['entitlements', 'reason'],
}

// Runs DDL as the owner, with a short lock time-out, because other queries queue behind a statement that
// waits for a lock. Repeats the statement until it gets the lock.
async function alter(cluster, { name, database }, statement) {
    await eventually(`${database}: ${statement}`, () =>
        cluster.postgres.sql(database, `SET lock_timeout = '500ms'; ${statement}`, cluster.owners[name]).then(() => true, error => {
            if (!error.message.includes('lock timeout')) throw error
        }))
}

const voided = (cluster, database) =>
    readFileSync(`${cluster.postgres.folder}.log`, 'utf8').split('\n').filter(line =>
        line.includes(`[${database}]`) && line.includes('cached plan must not change result type')).length

// Makes two changes. The first adds a column, as a release may do. The second changes the type of a column. A
// release should not do this, because it invalidates the prepared plans of all connections. Even then, no
// request may fail.
async function migrate(world, service, round) {
    const { cluster } = world, [table, column] = hot[service.name]
    await alter(cluster, service, `ALTER TABLE ${table} ADD COLUMN added_in_round_${round} text`)
    const before = voided(cluster, service.database)
    await alter(cluster, service, `ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${round % 2 ? 'varchar' : 'text'}`)
    await cluster.migrate(service.name)
    await eventually(`${service.name} has used an invalid plan`, () => voided(cluster, service.database) > before)
}

await under('starting two replicas of each service', async world => {
    for (let round = 1; round <= rounds; round++) {
        await world.serve(50)
        say(`round ${round} of ${rounds}: every replica restarts`)
        await world.cluster.restartAll()
        await world.serve(50)
        say(`round ${round} of ${rounds}: every database is migrated`)
        await Promise.all(services.map(service => migrate(world, service, round)))
        await world.serve(50)
    }
})
