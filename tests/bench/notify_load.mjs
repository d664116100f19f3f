// The shared parts of the benchmarks of notify: tenants, templates, devices, credentials and requests.
import { generateKeyPairSync, randomInt } from 'node:crypto'
import { compose } from './connections.mjs'
import { database, env, freshId, note, operator, options } from './lib.mjs'
import { grouped } from './report.mjs'

export const tenants = 500
export const scopes = 2 * tenants
export const rows = Math.max(Number(options.rows ?? 1_000_000), scopes)
export const port = Number(env.NOTIFY_PORT)
export const pid = env.NOTIFY_PID
export const base = `http://127.0.0.1:${port}`
export const { sql, pgbench } = database('notify')
const { call, insertTenants, mintKeys } = operator(base, sql)
export const words = 'Your order has left our house and will be with you within the next two working days. You can follow it under the address ' +
    'below, and answer this message if anything is wrong with it.'

// --- data ------------------------------------------------------------------------------------------------------------------------

function insertTemplates() {
    const template = (name, channel, subject, body, format) => sql(`
        INSERT INTO templates (tenant_id, template_id, name, channel, subject, body, format, created_at, updated_at)
        SELECT tenant_id, ${freshId}, '${name}', '${channel}', '${subject}', '${body}', '${format}', now(), now()
        FROM tenants WHERE slug LIKE 'bench-%'`)
    template('order', 'email', 'Your order {{number}}', `<p>Hello {{name}},</p><p>${words}</p>`, 'html')
    template('answer', 'push', 'A new answer', '{{name}} has answered you.', 'text')
    template('ready', 'sms', '', 'Hello {{name}}, your order {{number}} is ready.', 'text')
}

// Device n has its own user, in scope n % 1,000.
export const tokenOf = n => n.toString(16).padStart(64, '0')
function insertDevices(first) {
    const step = 50_000
    for (let at = 0; at < rows; at += step) {
        note(`data: ${grouped(at)} of ${grouped(rows)} devices`)
        sql(`INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at)
             SELECT ${first} + n % ${scopes}, lpad(to_hex(n), 64, '0'), 'user-' || n, 'ios', now(), now()
             FROM generate_series(${at}::bigint, ${Math.min(at + step, rows) - 1}) n`)
    }
    sql('VACUUM (ANALYZE) devices')
}

// All scopes have the same credential, like the apps of one developer team. So their pushes share connections.
export const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256', privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' },
})
async function putCredentials(keys) {
    const credential = { keyId: 'ABCDE12345', teamId: 'TEAM123456', privateKey, bundleId: 'com.example.bench', environment: 'production' }
    for (const key of keys) {
        await call('PUT', '/v1/platforms/apns', credential, { authorization: `Bearer ${key}` })
    }
}

export async function prepare() {
    insertTenants('bench', tenants, { sendsPer5Minutes: 1_000_000_000, smsPerDay: 1_000_000_000, sandboxSms: true })
    insertTemplates()
    const first = Number(sql("SELECT min(tenant_id) * 2 FROM tenants WHERE slug LIKE 'bench-%'"))
    insertDevices(first)
    const keys = await mintKeys('bench', tenants, 'secret')
    await putCredentials(keys)
    return { first, keys }
}

// --- requests --------------------------------------------------------------------------------------------------------------------

// A request for a push to one device.
export function pushRequest(keys) {
    const n = randomInt(rows)
    const body = { templateName: 'answer', channel: 'push', to: `user-${n}`, variables: { name: 'Grace' } }
    return compose('POST', env.NOTIFY_HOST, '/v1/notifications/send', keys[n % scopes], body)
}

export function acceptedId({ status, body }) {
    if (status !== 202) throw new Error(`${status} instead of 202: ${body}`)
    return JSON.parse(body).notificationId
}
