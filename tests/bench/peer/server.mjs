// The peer of the feedback service for scripts/bench: the same routes over the same tables with the same checks (API key with
// checksum and cache, tenant of the host or the key, field validation, row-level security), in typical code with Fastify
// and pg.
//
//     DATABASE_URL=postgresql://... PORT=8199 node server.mjs
import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import { transact, uuidv7 } from '../peer_parts.mjs'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
const app = Fastify({ logger: false, bodyLimit: 1 << 20 })
const keys = new Map()
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const table = Int32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1
    return n
})
function crc32(text) {
    let crc = -1
    for (let i = 0; i < text.length; i++) crc = (crc >>> 8) ^ table[(crc ^ text.charCodeAt(i)) & 255]
    return (crc ^ -1) >>> 0
}
function checksum(text) {
    let rest = crc32(text)
    let digits = ''
    for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) digits = alphabet[rest % 62] + digits
    return digits
}

class Problem extends Error {
    constructor(status, code, detail) {
        super(detail)
        this.statusCode = status
        this.code = code
    }
}

const scoped = (scope, work) =>
    transact(pool, { text: "SELECT set_config('app.scopes', $1, true)", values: [String(scope)] }, work)

async function authenticate(request) {
    const header = request.headers.authorization ?? ''
    const key = header.startsWith('Bearer ') ? header.slice(7) : ''
    if (!/^fbk_[0-9A-Za-z]{46}$/.test(key) || checksum(key.slice(0, 44)) !== key.slice(44))
        throw new Problem(401, 'UNAUTHORIZED', 'The credential is not valid.')
    const hash = createHash('sha256').update(key).digest('hex')
    let known = keys.get(hash)
    if (!known || known.until < Date.now()) {
        const found = await pool.query({
            name: 'scope',
            text: 'SELECT scope_id FROM api_key_scopes WHERE key_hash = $1',
            values: [Buffer.from(hash, 'hex')],
        })
        if (!found.rows.length) throw new Problem(401, 'UNAUTHORIZED', 'The credential is not valid.')
        known = { scope: found.rows[0].scope_id, until: Date.now() + 60_000 }
        keys.set(hash, known)
    }
    request.scope = known.scope
}

const columns = `feedback_id, created_at, updated_at, deleted_at, version, status, category, priority, title, body, app_context,
    attachment_ids, tags, user_id, user_email, assignee_id, assignee_email, reply_count, last_reply_at`
const show = f => ({
    feedbackId: f.feedback_id,
    status: f.status,
    category: f.category,
    priority: f.priority,
    title: f.title,
    body: f.body,
    appContext: f.app_context,
    attachmentIds: f.attachment_ids,
    tags: f.tags,
    userId: f.user_id,
    userEmail: f.user_email,
    assigneeId: f.assignee_id,
    assigneeEmail: f.assignee_email,
    replyCount: f.reply_count,
    lastReplyAt: f.last_reply_at,
    createdAt: f.created_at,
    updatedAt: f.updated_at,
    deletedAt: f.deleted_at,
    version: Number(f.version),
})

app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500
    reply.status(status).type('application/problem+json').send({
        type: 'about:blank',
        status,
        error: error.code ?? 'INTERNAL',
        detail: status < 500 ? error.message : 'An unexpected error occurred. If it persists, report the requestId to the operator.',
        requestId: request.id,
    })
})
app.addHook('onRequest', authenticate)

app.get('/v1/feedbacks/:id', async (request, reply) => {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(request.params.id))
        throw new Problem(404, 'NOT_FOUND', 'There is no feedback thread with this id that you may read. Check the id, the environment and the credential.')
    const { rows } = await scoped(request.scope, client =>
        client.query({
            name: 'get',
            text: `SELECT ${columns} FROM feedbacks WHERE scope_id = $1 AND feedback_id = $2`,
            values: [request.scope, request.params.id],
        }))
    if (!rows.length) throw new Problem(404, 'NOT_FOUND', 'There is no feedback thread with this id that you may read. Check the id, the environment and the credential.')
    reply.header('etag', `"${rows[0].version}.${rows[0].reply_count}"`)
    return show(rows[0])
})

app.get('/v1/feedbacks', {
    schema: { querystring: { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } } } },
}, async request => {
    const { rows } = await scoped(request.scope, client =>
        client.query({
            name: 'list',
            text: `SELECT ${columns} FROM feedbacks WHERE scope_id = $1 AND deleted_at IS NULL
                   ORDER BY created_at DESC, feedback_id DESC LIMIT $2`,
            values: [request.scope, request.query.limit + 1],
        }))
    const more = rows.length > request.query.limit
    if (more) rows.pop()
    const last = rows.at(-1)
    const cursor = more ? Buffer.from(`${last.created_at.toISOString()} ${last.feedback_id}`).toString('base64url') : null
    return { items: rows.map(show), cursor }
})

app.post('/v1/feedbacks', {
    schema: {
        body: {
            type: 'object',
            required: ['category', 'title', 'body'],
            properties: {
                category: { enum: ['bug', 'feature', 'general', 'support'] },
                title: { type: 'string', minLength: 1, maxLength: 200 },
                body: { type: 'string', minLength: 1, maxLength: 20000 },
                priority: { enum: ['low', 'medium', 'high', 'critical'] },
                tags: { type: 'array', maxItems: 10, items: { type: 'string', minLength: 1, maxLength: 50 } },
            },
        },
    },
}, async (request, reply) => {
    const { category, title, body, priority = null, tags = [] } = request.body
    const { rows } = await scoped(request.scope, async client => {
        await client.query({ name: 'lock', text: 'SELECT pg_advisory_xact_lock($1)', values: [request.scope] })
        return client.query({
            name: 'insert',
            text: `INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, priority, title, body,
                       tags, author_id, author_role)
                   SELECT $1, $2, at, at, 'open', $3, $4, $5, $6, $7, 'key', 'admin' FROM clock_timestamp() AS at
                   RETURNING ${columns}`,
            values: [request.scope, uuidv7(), category, priority, title, body, tags],
        })
    })
    reply.status(201)
    return show(rows[0])
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 8199) })
