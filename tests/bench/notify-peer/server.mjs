// The peer of notify for scripts/bench: the route that accepts a direct push, over the same tables with the same checks (API key with
// cache, fields, template, row-level security), in typical code with Fastify, pg and BullMQ. worker.mjs sends the pushes.
//
//     DATABASE_URL=postgresql://... REDIS_URL=redis://... PORT=8199 node server.mjs
import { createHash } from 'node:crypto'
import { Queue } from 'bullmq'
import Fastify from 'fastify'
import { uuidv7 } from '../peer_parts.mjs'
import { connection, pool, queueName, scoped } from './shared.mjs'

const app = Fastify({ logger: false, bodyLimit: 1 << 20 })
const queue = new Queue(queueName, { connection })
const keys = new Map()

class Problem extends Error {
    constructor(status, code, detail) {
        super(detail)
        this.statusCode = status
        this.code = code
    }
}

async function authenticate(request) {
    const header = request.headers.authorization ?? ''
    const key = header.startsWith('Bearer ') ? header.slice(7) : ''
    if (!/^[a-z_]{4,}[0-9A-Za-z]{40,}$/.test(key)) throw new Problem(401, 'UNAUTHORIZED', 'The credential is not valid.')
    const hash = createHash('sha256').update(key).digest('hex')
    let known = keys.get(hash)
    if (!known || known.until < Date.now()) {
        const found = await pool.query({
            name: 'scope', text: 'SELECT scope_id FROM api_key_scopes WHERE key_hash = $1', values: [Buffer.from(hash, 'hex')],
        })
        if (!found.rows.length) throw new Problem(401, 'UNAUTHORIZED', 'The credential is not valid.')
        known = { scope: Number(found.rows[0].scope_id), until: Date.now() + 60_000 }
        keys.set(hash, known)
    }
    request.scope = known.scope
}

function render(text, variables) {
    return text.replace(/\{\{(\w+)\}\}/g, (_, name) => {
        if (variables[name] === undefined) throw new Problem(400, 'VALIDATION_FAILED', `The variable ${name} is missing.`)
        return variables[name]
    })
}

app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500
    reply.status(status).type('application/problem+json').send({
        type: 'about:blank', status, error: error.code ?? 'INTERNAL', detail: error.message, requestId: request.id,
    })
})

app.post('/v1/notifications/send', {
    onRequest: authenticate,
    schema: { body: {
        type: 'object', required: ['templateName', 'channel', 'to'], additionalProperties: false,
        properties: {
            templateName: { type: 'string', minLength: 1, maxLength: 100 }, channel: { const: 'push' },
            to: { type: 'string', minLength: 1, maxLength: 254 },
            variables: { type: 'object', additionalProperties: { type: 'string' }, default: {} },
        },
    } },
}, async (request, reply) => {
    const { templateName, to, variables } = request.body, { scope } = request
    const id = uuidv7(), now = new Date()
    await scoped(scope, async client => {
        const { rows: [template] } = await client.query({
            name: 'template', values: [Math.floor(scope / 2), templateName],
            text: "SELECT subject, body FROM templates WHERE tenant_id = $1 AND name = $2 AND channel = 'push'",
        })
        if (!template) throw new Problem(404, 'TEMPLATE_NOT_FOUND', 'The tenant has no push template with this name.')
        await client.query({
            name: 'insert', values: [scope, id, templateName, to, render(template.subject, variables), render(template.body, variables), now],
            text: `INSERT INTO notifications (scope_id, notification_id, channel, template_name, recipient, subject, body, html, created_at,
                       queued_at)
                   VALUES ($1, $2, 'push', $3, $4, $5, $6, false, $7, $7)`,
        })
    })
    await queue.add('push', { scope, id }, {
        attempts: 5, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: true, removeOnFail: 1000,
    })
    reply.status(202)
    return { notificationId: id, status: 'queued', createdAt: now }
})

app.get('/health', async () => ({}))

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 8199) })
