// Rotates every secret as in docs/operations/secrets.md, while all four services are under load. No request may fail, and no old secret may
// work at the end. Options: the programs, --feedback=PATH ...
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { newKey, newPassword, services } from './cluster.mjs'
import { eventually } from './processes.mjs'
import { say, under } from './world.mjs'

const execute = promisify(execFile)

function demand(holds, what) {
    if (!holds) throw new Error(`this is not true: ${what}`)
}

// Rotates API keys, webhooks' secrets and providers' secrets, which needs only the API.
async function rotateByApi({ traffic: { feedback, billing } }) {
    await feedback.rotateKey()
    await feedback.rotateWebhookSecret()
    await billing.rotateSigningSecret()
}

async function rotateMasterKey(world) {
    const { cluster } = world
    const old = cluster.secrets.MASTER_KEY, next = newPassword()
    Object.assign(cluster.secrets, { MASTER_KEY: next, MASTER_KEY_PREVIOUS: old })
    await cluster.restartAll()
    await world.each(traffic => { traffic.masterKey = next })
    await world.serve(30)
    delete cluster.secrets.MASTER_KEY_PREVIOUS
    await cluster.restartAll()
    await world.each(async traffic => demand(await traffic.refusesMasterKey(old), `${traffic.service.name} refuses the old master key`))
}

async function rotateRedisPassword({ cluster }) {
    const old = cluster.redisPassword, next = newPassword()
    await cluster.redisCommand('ACL', 'SETUSER', 'default', `>${next}`)
    cluster.redisPassword = next
    await cluster.restartAll()
    await cluster.redisCommand('ACL', 'SETUSER', 'default', `<${old}`)
    const refused = await cluster.redisCommandAs(old, 'PING').then(() => false, () => true)
    demand(refused, "Redis' old password is refused")
}

// A role has only one password, so the rotation makes a second role that is a member of the first.
async function rotateDatabasePassword({ cluster }) {
    const former = { ...cluster.roles }
    for (const { name, database } of services) {
        const next = { role: `${database}_service_b`, password: newPassword() }
        await cluster.postgres.sql('postgres', `CREATE ROLE ${next.role} LOGIN PASSWORD '${next.password}' IN ROLE ${database}_service`)
        cluster.roles[name] = next
    }
    await cluster.restartAll()
    for (const { name, database } of services) {
        const { role } = former[name]
        const [[left]] = await cluster.postgres.sql(database, `SELECT count(*) FROM pg_stat_activity WHERE usename = '${role}'`)
        demand(left === '0', `no connection uses ${role}`)
        await cluster.postgres.sql('postgres', `ALTER ROLE ${role} NOLOGIN PASSWORD NULL`)
        const refused = await cluster.postgres.sql(database, 'SELECT 1', former[name]).then(() => false, () => true)
        demand(refused, `${role} may not connect`)
    }
}

// The number of values in a database that are sealed under the key with this id. Responses stored for Idempotency-Key are left out:
// `reencrypt` does not seal them again, and they expire after a day.
async function sealedUnder(cluster, { database }, id) {
    const { stdout } = await execute('pg_dump', ['--data-only', '--exclude-table-data=idempotency_keys',
        `postgresql://postgres@/${database}?host=${cluster.postgres.folder}`], { maxBuffer: 1 << 28 })
    return stdout.match(new RegExp(`(?<![A-Za-z0-9_-])${id}:[A-Za-z0-9_-]{38,}`, 'g'))?.length ?? 0
}

async function rotateEncryptionKeys(world) {
    const { cluster, traffic } = world
    const old = cluster.secrets.ENCRYPTION_KEYS, next = newKey('k2')
    say('  every replica gets the new key')
    cluster.secrets.ENCRYPTION_KEYS = `${old},${next}`
    await cluster.restartAll()
    say('  every replica seals with the new key')
    cluster.secrets.ENCRYPTION_KEYS = `${next},${old}`
    await cluster.restartAll()
    await world.serve(30)
    for (const service of services) {
        const before = await sealedUnder(cluster, service, 'k1')
        demand(before > 0, `something in ${service.database} was sealed under the old key`)
        await cluster.verb(service.name, 'reencrypt')
        const after = await sealedUnder(cluster, service, 'k1'), current = await sealedUnder(cluster, service, 'k2')
        demand(after === 0, `nothing in ${service.database} is sealed under the old key (${after} values are)`)
        demand(current >= before, `all of ${service.database} is sealed under the new key`)
        say(`  ${service.name}: ${before} values were sealed again; ${current} are under the new key`)
    }
    // Wait until all refresh tokens made under the old key have been renewed; operators wait 30 days.
    await traffic['auth-mfa'].renewed()
    say('  every replica runs without the old key')
    cluster.secrets.ENCRYPTION_KEYS = next
    await cluster.restartAll()
}

async function rotateSigningKey(world) {
    const { cluster, traffic } = world
    const [session] = traffic['auth-mfa'].sessions
    const { keyId, token } = session
    await cluster.verb('auth-mfa', 'rotate-signing-key', { SIGNING_KEY_OVERLAP_SECONDS: '20' })
    await eventually('tokens are signed with the new key', () => session.keyId !== keyId)
    await world.serve(30)
    // A token that the old key signed stays valid until it expires.
    await traffic['auth-mfa'].admin.send('GET', '/v1/auth/me', { token })
    await traffic.feedback.admin.send('GET', '/v1/feedbacks?limit=1', { token })
}

const rotations = [
    ['API key, webhook secret, provider secret', rotateByApi],
    ['master key', rotateMasterKey],
    ["Redis' password", rotateRedisPassword],
    ["the databases' passwords", rotateDatabasePassword],
    ['encryption keys', rotateEncryptionKeys],
    ['signing key of user tokens', rotateSigningKey],
]

await under('starting two replicas of each service', async world => {
    for (const [what, rotate] of rotations) {
        await world.serve(30)
        say(`rotation: ${what}`)
        await rotate(world)
    }
    await world.serve(30)
})
