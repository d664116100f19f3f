// Measures the erasure of one user in feedback, notify and billing: its duration, and the latency of other users' requests in the same scope
// during the erasure. The peer is pgbench, which removes the same rows of another user in one transaction. Reports medians of alternating rounds.
import { Connection, compose, now, pace } from './connections.mjs'
import { addTable, addText, alternate, database, env, freshId, note, operator, options, report, sleep } from './lib.mjs'
import { atMost, grouped, times } from './report.mjs'

const counts = { threads: Number(options.threads ?? 1000), notifications: Number(options.notifications ?? 10_000), events: Number(options.events ?? 1000) }
const others = 10 // for each row of the user, the scope has this number of rows of other users
const rate = 100 // requests of other users, a second
const slug = 'erasure-1'
const staff = 'key:fbk_00000000'
const words = 'When I press export the application shows a spinner for a while and then nothing happens, please have a look at this soon.'

// A service: `what` is measured `count` times for a user. `plant` and `remove` return SQL for rows of a user; `owner` is an SQL expression
// that may use `n`, and `user` is a literal. `prepare` returns what `request` needs to make the n-th request of another user.
const services = [
    {
        name: 'feedback', prefix: 'FEEDBACK', what: 'threads', count: counts.threads,
        plant: (scope, owner, count) => [
            `WITH added AS (
                 INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id, author_role,
                     user_id, user_email, reply_count, public_reply_count)
                 SELECT ${scope}, ${freshId}, now() - n * interval '1 s', now(), 'closed', 'bug', 'Export does nothing, number ' || n,
                     '${words} ${words}', ${owner}, 'user', ${owner}, 'user@example.org', 2, 2
                 FROM generate_series(1, ${count}) n
                 RETURNING *),
             answered AS (
                 INSERT INTO replies (scope_id, feedback_id, reply_id, created_at, body, author_id, author_role)
                 SELECT scope_id, feedback_id, ${freshId}, created_at, '${words}', CASE n WHEN 1 THEN user_id ELSE '${staff}' END, 'user'
                 FROM added, generate_series(1, 2) n)
             INSERT INTO status_moves (scope_id, feedback_id, move_id, at, actor_id, actor_role, from_status, to_status)
             SELECT scope_id, feedback_id, ${freshId}, created_at, '${staff}', 'admin', 'open', 'closed' FROM added`,
        ],
        remove: (scope, user) => ['replies', 'status_moves'].map(table => `DELETE FROM ${table} WHERE scope_id = ${scope} AND feedback_id IN
                 (SELECT feedback_id FROM feedbacks WHERE scope_id = ${scope} AND user_id = ${user})`).concat(
            `DELETE FROM feedbacks WHERE scope_id = ${scope} AND user_id = ${user}`),
        tables: ['feedbacks', 'replies', 'status_moves'],
        prepare: () => undefined,
        request: n => n % 2 ? ['GET', '/v1/feedbacks?limit=20'] :
            ['POST', '/v1/feedbacks', { category: 'bug', title: `Export does nothing, number ${n}`, body: words }],
    },
    {
        name: 'notify', prefix: 'NOTIFY', what: 'notifications', count: counts.notifications,
        plant: (scope, owner, count) => [
            `WITH added AS (
                 INSERT INTO notifications (scope_id, notification_id, channel, template_name, recipient, subject, body, html, status, created_at,
                     queued_at, sent_at)
                 SELECT ${scope}, ${freshId}, 'push', 'answer', ${owner}, 'A new answer', '${words}', false, 'sent', now() - n * interval '1 s',
                     now(), now()
                 FROM generate_series(1, ${count}) n
                 RETURNING scope_id, notification_id),
             events AS (
                 INSERT INTO notification_events (scope_id, notification_id, place, status, at)
                 SELECT scope_id, notification_id, 1, 'sent', now() FROM added)
             INSERT INTO push_deliveries (scope_id, notification_id, device_id, token, platform, status, updated_at)
             SELECT scope_id, notification_id, 1, repeat('0', 64), 'ios', 'sent', now() FROM added`,
        ],
        remove: (scope, user) => ['notification_events', 'push_deliveries'].map(table => `DELETE FROM ${table} WHERE scope_id = ${scope} AND
                 notification_id IN (SELECT notification_id FROM notifications WHERE scope_id = ${scope} AND recipient = ${user})`).concat(
            `DELETE FROM notifications WHERE scope_id = ${scope} AND recipient = ${user}`),
        tables: ['notifications', 'notification_events', 'push_deliveries'],
        prepare: ask => ask(201, 'POST', '/v1/templates', { name: 'order', channel: 'email', subject: 'Your order', body: words, format: 'text' }),
        request: n => n % 2 ? ['GET', '/v1/notifications?limit=20'] :
            ['POST', '/v1/notifications/send', { templateName: 'order', channel: 'email', to: `user-${n}@example.org`, variables: {},
                sendAt: new Date(Date.now() + 86_400_000).toISOString() }],
    },
    {
        name: 'billing', prefix: 'BILLING', what: 'events', count: counts.events,
        // Every second event names an alias, too.
        plant: (scope, owner, count) => [
            `WITH archived AS (
                 INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, event_at, is_filed, payload)
                 SELECT ${scope}, clock_timestamp(), ${freshId}, 'purchases', gen_random_uuid(), 'RENEWAL', 'applied', ${owner}, now(), true,
                     json_build_object('event', json_build_object('app_user_id', ${owner}, 'original_app_user_id', ${owner},
                         'aliases', json_build_array(${owner}) , 'product_id', 'pro_monthly', 'note', repeat('${words} ', 6)))
                 FROM generate_series(1, ${count}) n
                 RETURNING *),
             claimed AS (
                 INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
                 SELECT scope_id, md5(event_id)::uuid, archive_id, received_at FROM archived)
             INSERT INTO event_users (scope_id, user_id, received_at, archive_id)
             SELECT scope_id, '$RCAnonymousID:' || user_id, received_at, archive_id FROM archived WHERE get_byte(uuid_send(archive_id), 15) % 2 = 0`,
        ],
        remove: (scope, user) => [
            `DELETE FROM event_users u USING events e WHERE e.scope_id = ${scope} AND e.user_id = ${user} AND u.scope_id = ${scope} AND
                 u.received_at = e.received_at AND u.archive_id = e.archive_id`,
            `UPDATE events SET user_id = 'deleted:' || gen_random_uuid(), payload = 'null', erased_at = now()
                 WHERE scope_id = ${scope} AND user_id = ${user}`,
        ],
        tables: ['events', 'event_claims', 'event_users'],
        prepare: ask => ask(201, 'POST', '/v1/products', { providerProductId: 'gift', name: 'A gift', kind: 'subscription' }),
        request: (n, { productId }) => n % 2 ? ['GET', `/v1/users/user-${n}/entitlements`] :
            ['POST', `/v1/users/user-${n}/grants`, { productId, reason: 'a gift' }],
    },
]

// Measures a service, in ms. `erased` has the duration of an erasure, and the longest time of another user's request; `alone` has
// this time without an erasure; `pgbench` has the duration of the peer.
async function measure(service) {
    const port = Number(env[`${service.prefix}_PORT`]), host = `${slug}.${env[`${service.prefix}_HOST`]}`
    const { sql, pgbench } = database(service.name)
    operator(`http://127.0.0.1:${port}`, sql).insertTenants('erasure', 1, { sendsPer5Minutes: 1_000_000_000 })
    const scope = sql(`SELECT tenant_id * 2 FROM tenants WHERE slug = '${slug}'`)
    const connection = new Connection(port)
    const { key } = await connection.ask(201, 'POST', host, '/v1/keys', env.MASTER_KEY, { environment: 'production', kind: 'secret' })
    const ask = (expected, method, path, body) => connection.ask(expected, method, host, path, key, body)
    const prepared = await service.prepare(ask)
    const plant = (owner, count) => {
        for (const statement of service.plant(scope, owner, count)) sql(statement)
        sql(`VACUUM (ANALYZE) ${service.tables.join(', ')}`)
    }
    note(`${service.name}: data`)
    plant("'user-' || n % 1000", others * service.count)

    let number = 0
    // Sends requests of other users until `work` ends. Returns the longest time of a request in ms.
    async function longestDuring(work) {
        let ended = false, longest = 0
        const next = () => {
            const [method, path, body] = service.request(++number, prepared)
            return compose(method, host, path, key, body)
        }
        const take = ({ status, body }, due) => {
            if (status >= 300) throw new Error(`${service.name}: ${status} ${body}`)
            longest = Math.max(longest, now() - due)
        }
        const load = pace(port, { rate, length: 60, next, take, ends: () => ended })
        await work().finally(() => { ended = true })
        await load
        return longest
    }
    await longestDuring(() => sleep(1000)) // opens connections and fills caches
    const figures = await alternate(service.name, {
        pgbench: round => {
            const user = `'removed-${round}'`
            plant(user, service.count)
            return { took: 1000 / pgbench(['BEGIN', ...service.remove(scope, user), 'END'].map(s => `${s.replace(/\s+/g, ' ')};`).join('\n'), 1, 1).rate }
        },
        alone: async () => ({ longest: await longestDuring(() => sleep(1000)) }),
        erased: async round => {
            const user = `erased-${round}`
            plant(`'${user}'`, service.count)
            let took
            const longest = await longestDuring(async () => {
                const begun = now()
                await ask(200, 'DELETE', `/v1/users/${user}`)
                took = now() - begun
            })
            return { took, longest }
        },
    })
    connection.close()
    return figures
}

await report('erasure', async () => {
    const lines = []
    addTable(['user with', 'erasure', 'pgbench, one transaction', 'erasure ÷ pgbench', 'longest request of other users: alone', 'during the erasure'], lines)
    for (const service of services) {
        const { pgbench, alone, erased } = await measure(service)
        const label = `${service.name}: ${grouped(service.count)} ${service.what}`
        lines.push([label, atMost(`${label}: erasure`, erased.took, 2000, 'ms'), `${pgbench.took.toFixed(1)} ms`, times(erased.took / pgbench.took),
            `${alone.longest.toFixed(1)} ms`, atMost(`${service.name}: longest request of other users`, erased.longest, 250, 'ms')])
    }
    addText(`The scope has ${others} × as many rows of other users. Their requests, ${rate} a second, read lists and create objects in this scope. A thread ` +
        'has two replies and a change of status, a notification has a delivery and an event.')
})
