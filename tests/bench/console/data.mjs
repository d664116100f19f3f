// The data of the tenant for the benchmark of the console: rows of all four services, inserted with SQL. The rows are as the services write
// them, so the console shows them as any others. Values come from a hash of the row's number, so each run has the same ones.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { insertEntitlements } from '../billing_load.mjs'
import { Connection } from '../connections.mjs'
import { database, env, idOf, note, operator, options } from '../lib.mjs'
import { grouped } from '../report.mjs'

const count = (name, most) => Number(options[name] ?? most)
export const threads = count('threads', 100_000)
export const notifications = count('notifications', 1_000_000)
export const subscribers = count('subscribers', 100_000)
export const members = Math.min(count('members', 20_000), subscribers)
const share = Math.min(1, notifications / 1_000_000) // of the rows whose numbers are no options
const some = number => Math.max(200, Math.round(number * share))
export const events = some(200_000)
export const audited = some(50_000) // entries of the audit log of each service
export const deliveries = some(100_000) // to webhooks, of each service
export const suppressed = some(20_000)
export const broadcasts = some(2_000)
export const products = 24
export const longThread = threads - 40 // number of a thread with many replies, not far from the beginning of the inbox
export const manyReplies = 400

export const tenant = 'demo'
export const slugHost = name => `${tenant}.${env[`${name}_HOST`]}`
const prefixes = { feedback: 'FEEDBACK', 'auth-mfa': 'AUTH', notify: 'NOTIFY', billing: 'BILLING' }
const databases = Object.fromEntries(Object.keys(prefixes).map(name => [name, database(name.replace('-', '_')).sql]))
const scopes = Object.fromEntries(Object.entries(databases)
    .map(([name, sql]) => [name, Number(sql(`SELECT tenant_id * 2 FROM tenants WHERE slug = '${tenant}'`))]))
export const sqlOf = name => databases[name]

// --- SQL -------------------------------------------------------------------------------------------------------------------------

const begin = new Date()
const now = `timestamptz '${begin.toISOString()}'`
const admins = 12 // the first members

// u(n, k): the k-th number of row n, at least 0 and less than 1. one_of(list, n, k): an element of the list. id_at(t, n, k): an id that
// grows with time, as the services' ids do.
const functions = `
    CREATE FUNCTION pg_temp.u(n bigint, k integer) RETURNS double precision LANGUAGE sql IMMUTABLE
        AS 'SELECT (hashint8extended($1, $2 + 1) & 1073741823) / 1073741824.0::double precision';
    CREATE FUNCTION pg_temp.one_of(list text[], n bigint, k integer) RETURNS text LANGUAGE sql IMMUTABLE
        AS 'SELECT $1[1 + floor(array_length($1, 1) * (hashint8extended($2, $3 + 1) & 1073741823) / 1073741824.0)::integer]';
    CREATE FUNCTION pg_temp.id_at(t timestamptz, n bigint, k integer) RETURNS uuid LANGUAGE sql IMMUTABLE
        AS 'SELECT (lpad(to_hex((extract(epoch FROM $1) * 1000)::bigint), 12, ''0'') || ''7'' || substr(md5($2 || ''.'' || $3), 2, 3) || ''8'' ||
            substr(md5($2 || ''.'' || $3), 6, 15))::uuid';`
const list = words => `ARRAY[${words.split(' ').map(word => `'${word.replaceAll('_', ' ')}'`).join(', ')}]`
const idExpression = n => `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))`
// The email of member `n`, an SQL expression.
const names = list('ada grace alan edsger barbara donald frances tony leslie radia ken dennis margaret john katherine linus niklaus jean')
const surnames = list('lovelace hopper turing dijkstra liskov knuth allen hoare lamport perlman thompson ritchie hamilton backus johnson wirth bartik')
const emailOf = n => `(pg_temp.one_of(${names}, ${n}, 1) || '.' || pg_temp.one_of(${surnames}, ${n}, 2) || '.' || (${n}) || '@example.com')`
// A member with many rows or few: the first ones have most.
const someMember = k => `floor(${members} * pg_temp.u(n, ${k}) ^ 2)::bigint`
const user = k => idExpression(someMember(k))

// Inserts rows 0 to `total` - 1 in steps. `statement(rows)` returns the SQL; `rows` are the numbers `n`.
function insert(service, what, total, statement, step = 50_000) {
    for (let from = 0; from < total; from += step) {
        note(`${service}: ${grouped(from)} of ${grouped(total)} ${what}`)
        databases[service](`${functions} ${statement(`generate_series(${from}::bigint, ${Math.min(from + step, total) - 1}) n`)}`)
    }
}
const vacuum = (service, ...tables) => databases[service](`VACUUM (ANALYZE) ${tables.join(', ')}`)

// --- all services ----------------------------------------------------------------------------------------------------------------

const actions = {
    feedback: 'feedback.status feedback.updated feedback.deleted reply.created reply.updated settings.updated webhook.tested key.mint',
    'auth-mfa': 'session.refused member.role member.status user.created user.updated session.ended settings.updated client.created key.mint',
    notify: 'notification.cancelled notification.retried suppression.deleted broadcast.cancelled settings.updated platform.updated key.mint',
    billing: 'grant.created grant.deleted event.replayed settings.updated webhook.tested key.mint',
}

function insertAudit(service) {
    const scope = scopes[service]
    insert(service, 'audit entries', audited, rows => `
        INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, before, after, request_id)
        SELECT ${scope}, pg_temp.id_at(t, n, 1), t, actor, CASE WHEN actor = 'master' THEN 'owner' ELSE 'admin' END, action, split_part(action, '.', 1),
            ${user(4)}, CASE WHEN n % 2 = 0 THEN jsonb_build_object('status', 'open', 'version', n) END,
            jsonb_build_object('status', 'resolved', 'version', n + 1, 'note', repeat('changed by staff ', 4)), 'req-' || n
        FROM (SELECT n, ${now} - (${audited} - n) * (interval '365 days' / ${audited}) AS t, pg_temp.one_of(${list(actions[service])}, n, 1) AS action,
                CASE WHEN n % 10 = 0 THEN 'master' ELSE ${idExpression(`floor(${admins} * pg_temp.u(n, 3))::bigint`)} END AS actor
            FROM ${rows}) AS r`)
    vacuum(service, 'audit_log')
}

const eventTypes = {
    feedback: 'feedback.created feedback.updated feedback.status_changed reply.created',
    'auth-mfa': 'user.created user.updated user.deleted mfa.enabled session.ended',
    notify: 'notification.sent notification.delivered notification.failed',
    billing: 'entitlement.updated entitlement.expired',
}

// Five webhooks, the first with most of the deliveries. They do not get the events that occur during the benchmark.
async function insertWebhooks(service) {
    const connection = new Connection(Number(env[`${prefixes[service]}_PORT`]))
    const ids = []
    for (let n = 0; n < 5; n++) {
        const webhook = await connection.ask(201, 'POST', slugHost(prefixes[service]), '/v1/webhooks', env.MASTER_KEY,
            { url: `http://127.0.0.1:9/hooks/${n}`, description: `Endpoint ${n}` })
        ids.push(webhook.webhookId)
    }
    connection.close()
    const sql = databases[service]
    sql(`UPDATE webhooks SET enabled = false, disabled_reason = 'switched off' WHERE scope_id = ${scopes[service]}`)
    insert(service, 'deliveries to webhooks', deliveries, rows => `
        INSERT INTO webhook_deliveries (scope_id, delivery_id, webhook_id, event_type, payload, status, attempts, expires_at, last_status, last_error,
            response_excerpt, created_at, delivered_at, user_id, filed)
        SELECT ${scopes[service]}, pg_temp.id_at(t, n, 2), webhook, type, json_build_object('type', type, 'timestamp', t, 'data',
                json_build_object('userId', username, 'note', repeat('what has changed ', 12)))::text,
            CASE WHEN failed THEN 'failed' ELSE 'delivered' END, CASE WHEN failed THEN 12 ELSE 1 END, t + interval '3 days',
            CASE WHEN failed THEN 503 ELSE 204 END, CASE WHEN failed THEN 'status 503' END, CASE WHEN failed THEN 'Service Unavailable' ELSE '' END,
            t, CASE WHEN NOT failed THEN t + interval '120 ms' END, username, true
        FROM (SELECT n, ${now} - (${deliveries} - n) * (interval '29 days' / ${deliveries}) AS t, pg_temp.one_of(${list(eventTypes[service])}, n, 1) AS type,
                (ARRAY['${ids.join("', '")}'])[1 + floor(5 * pg_temp.u(n, 2) ^ 4)::integer]::uuid AS webhook, pg_temp.u(n, 3) < 0.03 AS failed,
                ${user(5)} AS username
            FROM ${rows}) AS r`)
    vacuum(service, 'webhook_deliveries')
}

async function mintKeys(service, kinds = [undefined]) {
    const connection = new Connection(Number(env[`${prefixes[service]}_PORT`]))
    for (let n = 0; n < 10; n++)
        await connection.ask(201, 'POST', slugHost(prefixes[service]), '/v1/keys', env.MASTER_KEY, { environment: 'production', kind: kinds[n % kinds.length] })
    connection.close()
}

// --- auth-mfa --------------------------------------------------------------------------------------------------------------------

// `hash`: the hash of a password, which all accounts share.
function insertMembers(hash) {
    const scope = scopes['auth-mfa']
    insert('auth-mfa', 'members', members, rows => `
        INSERT INTO users (scope_id, user_id, email, email_key, password_hash, role, phone, phone_verified, created_at, updated_at, email_verified, status)
        SELECT ${scope}, ${idExpression('n')}::uuid, email, email, CASE WHEN status <> 'invited' THEN '${hash}' END,
            CASE WHEN n < ${admins} THEN 'admin' ELSE 'user' END, CASE WHEN n % 3 = 0 THEN '+12125' || lpad(n::text, 6, '0') END, n % 3 = 0, t, t,
            status = 'active' AND n % 20 <> 7, status
        FROM (SELECT n, ${emailOf('n')} AS email, ${now} - (${members} - n) * (interval '1000 days' / ${members}) AS t,
                CASE WHEN n < ${admins} THEN 'active' WHEN n % 50 = 1 THEN 'invited' WHEN n % 33 = 1 THEN 'disabled' ELSE 'active' END AS status
            FROM ${rows}) AS r`)
    insert('auth-mfa', 'sessions', members, rows => `
        INSERT INTO sessions (scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address)
        SELECT ${scope}, pg_temp.id_at(t, n, 3), ${user(1)}::uuid, '{pwd}', t, t, t + interval '30 days', '${agent}', '203.0.113.' || n % 250
        FROM (SELECT n, ${now} - (${members} - n) * (interval '28 days' / ${members}) AS t FROM ${rows}) AS r`)
    insert('auth-mfa', 'activities', 5 * members, rows => `
        INSERT INTO activity (scope_id, activity_id, user_id, at, type, result, ip, user_agent)
        SELECT ${scope}, pg_temp.id_at(t, n, 4), ${user(1)}::uuid, t, pg_temp.one_of(${list('sign_in sign_in sign_in password_changed factor_added passkey')}, n, 2),
            CASE WHEN pg_temp.u(n, 3) < 0.1 THEN 'wrong_password' ELSE 'success' END, '203.0.113.' || n % 250, '${agent}'
        FROM (SELECT n, ${now} - (${5 * members} - n) * (interval '180 days' / ${5 * members}) AS t FROM ${rows}) AS r`)
    insert('auth-mfa', 'erasures', some(1000), rows => `
        WITH added AS (
            INSERT INTO erasures (scope_id, erasure_id, user_id, requested_at, expires_at, erased_at, completed_at)
            SELECT ${scope}, pg_temp.id_at(t, n, 5), ${idExpression(`${members} + n`)}::uuid, t, t + interval '90 days', t + interval '1 s', t + interval '3 s'
            FROM (SELECT n, ${now} - (${some(1000)} - n) * (interval '89 days' / ${some(1000)}) AS t FROM ${rows}) AS r
            RETURNING *)
        INSERT INTO erasure_targets (scope_id, erasure_id, service, status, attempts, done_at)
        SELECT scope_id, erasure_id, service, 'done', 1, completed_at FROM added, unnest(ARRAY['feedback', 'notify', 'billing']) service`)
    vacuum('auth-mfa', 'users', 'sessions', 'activity', 'erasures', 'erasure_targets')
}
const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

// --- feedback --------------------------------------------------------------------------------------------------------------------

const things = 'export import search calendar invoice report dashboard password avatar notification reminder widget attachment printer theme shortcut'
const faults = 'does_nothing shows_a_spinner is_slow loses_my_changes crashes_at_once has_the_wrong_date needs_a_filter should_be_sortable fails_on_phones repeats_itself'
const words = 'when i press the button application shows spinner for a while then nothing happens please have look at this soon we use it every day with our ' +
    'team on phones and desktops after last update file was empty list did not load second page customer asked again error said try later network seems fine'
const staffId = `${idExpression(`floor(${admins} * pg_temp.u(n, 8))::bigint`)}`

// Threads of two years. Few of the older ones are open. The number of replies is part of the row, so the replies follow from the rows.
function insertThreads() {
    const scope = scopes.feedback
    insert('feedback', 'threads', threads, rows => `
        INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, version, status, category, priority, title, body, tags, author_id, author_role,
            user_id, user_email, user_email_verified, assignee_id, assignee_email, reply_count, last_reply_at, public_reply_count, public_last_reply_at,
            visibility, vote_count, votes_changed_at, first_response_at, resolved_at)
        SELECT ${scope}, ${idExpression('n')}::uuid, t, t + (replies + 1) * gap, 1 + replies, status, pg_temp.one_of(${list('bug bug feature feature general support')}, n, 1),
            pg_temp.one_of(ARRAY[NULL, NULL, NULL, 'low', 'medium', 'medium', 'high', 'critical'], n, 2), title,
            (SELECT string_agg(pg_temp.one_of(${list(words)}, n * 97 + w, 3), ' ') FROM generate_series(1, 20 + (50 * pg_temp.u(n, 4))::integer) w),
            (ARRAY['web', 'ios', 'android', 'billing', 'team-' || n % 3000])[1:floor(4 * pg_temp.u(n, 5))::integer] ||
                CASE WHEN n % 2000 = 1 THEN '{rare}'::text[] ELSE '{}' END,
            ${idExpression('author')}, 'user', ${idExpression('author')}, ${emailOf('author')}, true, CASE WHEN assigned >= 0 THEN ${idExpression('assigned')} END,
            CASE WHEN assigned >= 0 THEN ${emailOf('assigned')} END, replies, CASE WHEN replies > 0 THEN t + replies * gap END, replies - replies / 4,
            CASE WHEN replies > 0 THEN t + (replies - CASE WHEN replies % 4 = 0 THEN 1 ELSE 0 END) * gap END,
            CASE WHEN votes >= 0 THEN 'public' ELSE 'private' END, greatest(votes, 0), CASE WHEN votes > 0 THEN t END, CASE WHEN replies > 0 THEN t + gap END,
            CASE WHEN status IN ('resolved', 'closed') THEN t + (replies + 1) * gap END
        FROM (SELECT *, least(interval '7 hours', (${now} - t) / (replies + 2)) AS gap,
                CASE WHEN pg_temp.u(n, 9) < CASE WHEN t > ${now} - interval '30 days' THEN 0.4 ELSE 0.01 END THEN 'open'
                    WHEN pg_temp.u(n, 10) < CASE WHEN t > ${now} - interval '30 days' THEN 0.3 ELSE 0.005 END THEN 'in-progress'
                    WHEN pg_temp.u(n, 11) < 0.7 THEN 'resolved' ELSE 'closed' END AS status
            FROM (SELECT n, ${now} - (${threads} - n) * (interval '730 days' / ${threads}) AS t, ${someMember(12)} AS author,
                    initcap(pg_temp.one_of(${list(things)}, n, 6)) || ' ' || pg_temp.one_of(${list(faults)}, n, 7) || ', number ' || n AS title,
                    CASE WHEN pg_temp.u(n, 13) < 0.6 THEN floor(${admins} * pg_temp.u(n, 8))::bigint ELSE -1 END AS assigned,
                    CASE WHEN n = ${longThread} THEN ${manyReplies} WHEN pg_temp.u(n, 14) < 0.4 THEN 1 + floor(6 * pg_temp.u(n, 15))::integer ELSE 0 END AS replies,
                    CASE WHEN pg_temp.u(n, 16) < 0.15 THEN floor(60 * pg_temp.u(n, 17) ^ 6)::integer ELSE -1 END AS votes
                FROM ${rows}) AS r) AS r`, 20_000)
    const numbered = rows => `(SELECT n, f.* FROM ${rows} JOIN feedbacks f ON f.scope_id = ${scope} AND f.feedback_id = ${idExpression('n')}::uuid)`
    insert('feedback', 'threads with replies', threads, rows => `
        INSERT INTO replies (scope_id, feedback_id, reply_id, created_at, body, author_id, author_role, internal)
        SELECT ${scope}, feedback_id, pg_temp.id_at(at, n * 1000 + k, 6), at,
            (SELECT string_agg(pg_temp.one_of(${list(words)}, n * 89 + k * 13 + w, 3), ' ') FROM generate_series(1, 10 + k % 30) w),
            CASE WHEN k % 4 IN (0, 1) THEN ${staffId} ELSE user_id END, CASE WHEN k % 4 IN (0, 1) THEN 'admin' ELSE 'user' END, k % 4 = 0
        FROM (SELECT *, created_at + k * (last_reply_at - created_at) / reply_count AS at
            FROM ${numbered(rows)} AS f, generate_series(1, f.reply_count) k) AS r`, 20_000)
    insert('feedback', 'threads with changes of status', threads, rows => `
        INSERT INTO status_moves (scope_id, feedback_id, move_id, at, actor_id, actor_role, from_status, to_status)
        SELECT ${scope}, feedback_id, pg_temp.id_at(at, n, 7), at, ${staffId}, 'admin', 'open', status
        FROM (SELECT *, coalesce(resolved_at, updated_at) AS at FROM ${numbered(rows)} AS f WHERE status <> 'open') AS r`)
    insert('feedback', 'threads with votes', threads, rows => `
        INSERT INTO votes (scope_id, feedback_id, user_id, vote_id, created_at, counted_at)
        SELECT ${scope}, feedback_id, ${idExpression(`(n * 7 + k) % ${members}`)}, pg_temp.id_at(created_at, n * 100 + k, 8), created_at, created_at
        FROM ${numbered(rows)} AS f, generate_series(1, f.vote_count) k`)
    note('feedback: search index')
    const settings = Object.fromEntries(readFileSync(`/proc/${env.FEEDBACK_PID}/environ`, 'utf8').split('\0').filter(Boolean)
        .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    execFileSync(`${process.env.BUILD}/services/feedback/feedback`, ['index-search'], { env: settings, stdio: ['ignore', 'ignore', 'inherit'] })
    vacuum('feedback', 'feedbacks', 'replies', 'status_moves', 'votes', 'search_documents')
}

// --- notify ----------------------------------------------------------------------------------------------------------------------

const templates = 30

// Notifications of 60 days; the oldest have lost their content. Those of number 997 in each thousand wait for their time.
function insertNotifications() {
    const scope = scopes.notify
    const sql = databases.notify
    sql(`${functions}
        INSERT INTO templates (tenant_id, template_id, name, channel, subject, body, format, created_at, updated_at)
        SELECT ${scope} / 2, pg_temp.id_at(t, n, 9), 'template-' || n, channel, CASE channel WHEN 'sms' THEN '' ELSE 'News for {{name}}, ' || n END,
            'Hello {{name}}, your order {{number}} has left our house.', 'text', t, t
        FROM (SELECT n, ${now} - interval '60 days' AS t, (ARRAY['email', 'push', 'sms'])[1 + n % 3] AS channel
            FROM generate_series(0, ${templates - 1}) n) AS r`)
    sql(`${functions}
        INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at)
        SELECT ${scope}, lpad(to_hex(n), 64, '0'), ${idExpression(`n % ${members}`)}, (ARRAY['ios', 'android', 'web'])[1 + n % 3], ${now}, ${now}
        FROM generate_series(0, ${Math.round(1.5 * members) - 1}) n`)
    const reasons = 'NO_DEVICES SUPPRESSED UNREGISTERED CONNECT_FAILED OPTED_OUT 550_5.1.1_mailbox_unknown'
    insert('notify', 'notifications', notifications, rows => `
        WITH made AS (
            SELECT *, status = 'queued' AS waits, status = 'failed' AS fails, t < ${now} - interval '7 days' AND status <> 'queued' AS erased
            FROM (SELECT *, CASE WHEN n % 1000 = 997 THEN 'queued' WHEN x < 0.06 THEN 'failed' WHEN x < 0.25 THEN 'sent' WHEN channel <> 'sms' AND x < 0.45
                    THEN 'opened' ELSE 'delivered' END AS status
                FROM (SELECT n, ${now} - interval '3 minutes' - (${notifications} - n) * (interval '60 days' / ${notifications}) AS t, pg_temp.u(n, 1) AS x,
                        ${someMember(2)} AS member, pg_temp.one_of(${list('email email email push push sms')}, n, 3) AS channel
                    FROM ${rows}) AS r) AS r
        ), added AS (
            INSERT INTO notifications (scope_id, notification_id, channel, template_name, recipient, subject, body, html, status, failure_reason, attempts,
                provider_id, created_at, queued_at, send_at, sent_at, delivered_at, opened_at, failed_at, content_erased_at)
            SELECT ${scope}, ${idExpression('n')}::uuid, channel,
                'template-' || (3 * floor(${templates / 3} * pg_temp.u(n, 4))::integer + array_position(ARRAY['email', 'push', 'sms'], channel) - 1),
                CASE channel WHEN 'email' THEN ${emailOf('member')} WHEN 'sms' THEN '+12125' || lpad(member::text, 6, '0') ELSE ${idExpression('member')} END,
                CASE WHEN channel = 'sms' OR erased THEN '' ELSE 'News for you, ' || n END, CASE WHEN erased THEN '' ELSE 'Hello, your order ' || n || ' has left our house.' END,
                false, status, CASE WHEN fails THEN pg_temp.one_of(${list(reasons)}, n, 5) END, CASE WHEN waits THEN 0 ELSE 1 END,
                CASE WHEN NOT waits AND NOT fails THEN 'provider-' || n END, t, t, CASE WHEN waits THEN ${now} + interval '1 day' + pg_temp.u(n, 6) * interval '28 days' END,
                CASE WHEN NOT waits AND NOT fails THEN t + interval '1 s' END, CASE WHEN status IN ('delivered', 'opened') THEN t + interval '3 s' END,
                CASE WHEN status = 'opened' THEN t + interval '60 s' END, CASE WHEN fails THEN t + interval '2 s' END,
                CASE WHEN erased THEN t + interval '7 days' END
            FROM made
            RETURNING *
        ), events AS (
            INSERT INTO notification_events (scope_id, notification_id, place, status, at, detail)
            SELECT scope_id, notification_id, place, e.status, e.at, CASE WHEN e.status = 'failed' THEN failure_reason END
            FROM added, LATERAL (VALUES (1, 'sent', sent_at), (2, 'delivered', delivered_at), (3, 'opened', opened_at), (1, 'failed', failed_at)) AS e (place, status, at)
            WHERE e.at IS NOT NULL
        ), pushes AS (
            INSERT INTO push_deliveries (scope_id, notification_id, device_id, token, platform, status, attempts, updated_at)
            SELECT scope_id, notification_id, 1, repeat('0', 64), 'ios', 'sent', 1, sent_at FROM added WHERE channel = 'push' AND sent_at IS NOT NULL
        )
        INSERT INTO jobs (scope_id, queue, ref, run_at) SELECT scope_id, 'notify.' || channel, notification_id, send_at FROM added WHERE status = 'queued'`)
    insert('notify', 'suppressions', suppressed, rows => `
        INSERT INTO suppressions (scope_id, channel, address, reason, created_at)
        SELECT ${scope}, CASE WHEN n % 3 = 0 THEN 'sms' ELSE 'email' END, CASE WHEN n % 3 = 0 THEN '+12126' || lpad(n::text, 6, '0') ELSE 'gone-' || n || '@example.org' END,
            CASE WHEN n % 3 = 0 THEN '21610' ELSE 'OPTED_OUT' END, ${now} - (${suppressed} - n) * (interval '365 days' / ${suppressed})
        FROM ${rows}`)
    insert('notify', 'broadcasts', broadcasts, rows => `
        INSERT INTO broadcasts (scope_id, broadcast_id, template_name, dedupe_key, title, body, status, last_device_id, enqueued_devices, sent_count, failed_count,
            invalid_count, created_at, started_at, fanned_out_at, completed_at, content_erased_at)
        SELECT ${scope}, pg_temp.id_at(t, n, 10), 'template-' || (1 + 3 * (n % 10)), 'release-' || n, '', '', 'fanned_out', 30000, 30000, 29000, 400, 600, t, t, t,
            t + interval '9 s', t + interval '9 s'
        FROM (SELECT n, ${now} - interval '8 days' - (${broadcasts} - n) * (interval '80 days' / ${broadcasts}) AS t FROM ${rows}) AS r`)
    vacuum('notify', 'templates', 'devices', 'notifications', 'notification_events', 'push_deliveries', 'jobs', 'suppressions', 'broadcasts')
}

// --- billing ---------------------------------------------------------------------------------------------------------------------

// The user of subscriber `n`: the first ones are members, the others have ids of the app.
const subscriber = n => `CASE WHEN ${n} < ${members} THEN ${idExpression(n)} ELSE 'app-' || md5((${n})::text) END`
const currencies = "(ARRAY['EUR', 'USD', 'JPY'])[1 + n % 3]"

async function insertSubscribers() {
    const connection = new Connection(Number(env.BILLING_PORT)), host = slugHost('BILLING')
    for (let n = 0; n < products; n++) {
        await connection.ask(201, 'POST', host, '/v1/products', env.MASTER_KEY, { providerProductId: `plan-${n}`, name: `Plan ${n}`,
            kind: 'subscription', features: ['export', 'sync', `feature-${n}`], grants: [{ name: 'seats', quantity: 5 }] })
    }
    connection.close()
    const sql = databases.billing, scope = scopes.billing
    const entitlements = Math.round(1.3 * subscribers)
    insertEntitlements(entitlements, {
        scope, user: subscriber(`(n % ${subscribers})`), product: `'plan-' || (n + n / ${subscribers}) % ${products}`,
        at: `${now} - (n / ${products}) % 366 * interval '1 day'`, trial: 'n % 10 = 9', currency: currencies,
    })
    note('billing: ending 40 % of the entitlements')
    sql(`UPDATE entitlements SET status = 'expired', expires_at = ends, access_until = ends, renewal_until = NULL, will_renew = false, is_ended = true,
             is_open = false, last_event_type = 'EXPIRATION', last_event_at = ends, revision = revision + 1, access_revision = revision + 1
         FROM (SELECT entitlement_id AS id, least(now(), last_event_at + interval '20 days') AS ends FROM entitlements
             WHERE scope_id = ${scope} AND right(last_event_id, 1) IN ('1', '3', '4', '7')) AS e
         WHERE scope_id = ${scope} AND entitlement_id = e.id`)
    insertEvents(sql, scope)
    sql(`${functions}
        WITH added AS (
            INSERT INTO backfills (tenant_id, backfill_id, source, status, last_id, processed, changed, failed, started_at, progress_at, completed_at, traceparent)
            SELECT ${scope} / 2, pg_temp.id_at(t, n, 11), 'payments', 'done', 'sub_' || n, 80000, 1200, 3, t, t + interval '4 min', t + interval '4 min', ''
            FROM (SELECT n, ${now} - n * interval '10 days' AS t FROM generate_series(1, 5) n) AS r
            RETURNING *)
        INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, request_id)
        SELECT ${scope}, pg_temp.id_at(started_at, 0, 12), started_at, 'master', 'owner', 'backfill.created', 'backfill', backfill_id::text, '' FROM added`)
    vacuum('billing', 'entitlements', 'events', 'event_claims', 'backfills')
}

// Events of a year, in the partitions of their months, each with a payload of the size that providers send.
function insertEvents(sql, scope) {
    for (let month = 1; month <= 12; month++) {
        sql(`DO $$ DECLARE m timestamptz := date_trunc('month', now()) - interval '${month} months'; BEGIN
             EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
                 to_char(m, '"events_"YYYY_MM'), m, m + interval '1 month'); END $$`)
    }
    const types = 'RENEWAL RENEWAL RENEWAL INITIAL_PURCHASE CANCELLATION EXPIRATION BILLING_ISSUE UNCANCELLATION PRODUCT_CHANGE'
    insert('billing', 'events', events, rows => `
        WITH archived AS (
            INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, reason, user_id, subject, event_at, payload, is_filed)
            SELECT ${scope}, t, pg_temp.id_at(t, n, 13), 'purchases', 'evt-' || n, type, result, CASE WHEN result = 'rejected' THEN 'unknown product' END, username, NULL,
                t - interval '2 s', json_build_object('api_version', '1.0', 'event', json_build_object('id', 'evt-' || n, 'type', type, 'app_user_id', username,
                    'aliases', json_build_array(username), 'original_app_user_id', username, 'product_id', 'plan-' || n % ${products}, 'period_type', 'NORMAL',
                    'purchased_at_ms', n, 'expiration_at_ms', n, 'environment', 'PRODUCTION', 'store', 'APP_STORE', 'country_code', 'DE', 'currency', 'EUR', 'price', 9.99,
                    'transaction_id', '47000' || n, 'subscriber_attributes', json_build_object('$email', json_build_object('value', 'ada@example.com', 'updated_at_ms', n),
                    'note', repeat('an attribute of the app ', 40))))::text, true
            FROM (SELECT n, ${now} - interval '2 minutes' - (${events} - n) * (interval '365 days' / ${events}) AS t, pg_temp.one_of(${list(types)}, n, 1) AS type,
                    CASE WHEN pg_temp.u(n, 2) < 0.002 THEN 'rejected' WHEN pg_temp.u(n, 2) < 0.02 THEN 'stale' WHEN pg_temp.u(n, 2) < 0.05 THEN 'skipped' ELSE 'applied' END AS result,
                    ${subscriber(`floor(${subscribers} * pg_temp.u(n, 3) ^ 2)::bigint`)} AS username
                FROM ${rows}) AS r
            RETURNING scope_id, archive_id, received_at, event_id)
        INSERT INTO event_claims (scope_id, claim, archive_id, received_at) SELECT scope_id, md5(event_id)::uuid, archive_id, received_at FROM archived`)
}

// --- all -------------------------------------------------------------------------------------------------------------------------

// Inserts everything. `hash`: the hash of a password.
export async function prepare(hash) {
    insertMembers(hash)
    insertThreads()
    insertNotifications()
    await insertSubscribers()
    for (const service of Object.keys(prefixes)) {
        insertAudit(service)
        await insertWebhooks(service)
    }
    await mintKeys('auth-mfa')
    await mintKeys('notify', ['secret', 'publishable'])
    await mintKeys('billing')
    for (const sql of Object.values(databases)) sql('CHECKPOINT')
}

// Allows any number of requests and emails.
export async function raiseLimits() {
    for (const [service, prefix] of Object.entries(prefixes)) {
        const { call } = operator(`http://127.0.0.1:${env[`${prefix}_PORT`]}`, databases[service])
        const { displayName, limits } = await call('GET', `/v1/admin/tenants/${tenant}`)
        await call('PUT', `/v1/admin/tenants/${tenant}`, { displayName, limits: { ...limits, requestsPerMinute: 100_000_000, ...(service === 'notify' && { sendsPer5Minutes: 1_000_000_000 }) } })
    }
}

export const memberId = n => idOf(n)
export const threadId = n => idOf(n)
export const notificationId = n => idOf(n)
