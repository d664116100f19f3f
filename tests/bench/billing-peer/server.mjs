// The peer of the billing service for scripts/bench: the payment provider's webhook over the same tables with the same checks (signature
// over the raw body, tenant of the host, duplicate events, order of events, one transaction, row-level security), in typical code with
// Fastify, pg and the stripe package.
//
//     DATABASE_URL=postgresql://... SECRET=whsec_... PORT=8199 node server.mjs
import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import Stripe from 'stripe'
import { transact, uuidv7 } from '../peer_parts.mjs'

const { webhooks } = new Stripe('sk_test_none')
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
const app = Fastify({ logger: false, bodyLimit: 1 << 20 })
const tenants = new Map()

async function tenantOf(host) {
    const slug = host.split('.')[0].replace(/-sandbox$/, '')
    let id = tenants.get(slug)
    if (!id) {
        const found = await pool.query({ name: 'tenant', text: 'SELECT tenant_id FROM tenants WHERE slug = $1', values: [slug] })
        if (!found.rows.length) return undefined
        tenants.set(slug, id = Number(found.rows[0].tenant_id))
    }
    return id
}

const scoped = (scope, work) => transact(pool, {
    name: 'begin', values: [String(scope), (BigInt(0x53) << 56n | BigInt(scope)).toString()],
    text: "SELECT set_config('app.scopes', $1, true), pg_advisory_xact_lock($2)",
}, work)

const hash = text => {
    const hex = createHash('sha256').update(text).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const statuses = { trialing: 'active', active: 'active', paused: 'paused' }
const months = { month: 1, year: 12 }
const time = seconds => seconds ? new Date(seconds * 1000) : null

async function apply(client, scope, event, payload) {
    const subscription = event.data.object
    const at = time(event.created)
    const claim = hash(`payments:${event.id}`), archive = uuidv7(), now = new Date()
    const claimed = await client.query({
        name: 'claim', values: [scope, claim, archive, now],
        text: 'INSERT INTO event_claims (scope_id, claim, archive_id, received_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    })
    if (!claimed.rowCount) return 'duplicate'
    const userId = subscription.metadata?.userId
    const known = await client.query({
        name: 'known', values: [scope, subscription.id],
        text: 'SELECT state FROM payment_subscriptions WHERE scope_id = $1 AND subscription_id = $2',
    })
    const stale = known.rows.length && known.rows[0].state.at >= event.created
    const result = !userId ? 'skipped' : stale ? 'stale' : 'applied'
    await client.query({
        name: 'archive',
        values: [scope, now, archive, event.id, event.type, result, userId, subscription.id, at, payload],
        text: `INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, subject, event_at, payload,
                   is_filed)
               VALUES ($1, $2, $3, 'payments', $4, $5, $6, $7, $8, $9, $10, true)`,
    })
    if (result !== 'applied') return result
    await client.query({
        name: 'subscription',
        values: [scope, subscription.id, userId, JSON.stringify({ at: event.created, status: subscription.status })],
        text: `INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, revision) VALUES ($1, $2, $3, $4, 1)
               ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id, state = excluded.state,
                   revision = s.revision + 1, updated_at = clock_timestamp()`,
    })
    const status = statuses[subscription.status] ?? 'expired', renews = !subscription.cancel_at_period_end
    for (const item of subscription.items.data) {
        const ends = time(item.current_period_end), access = status === 'active' ? ends : at
        const amount = item.price.unit_amount * item.quantity
        const monthly = Math.round(amount / (months[item.price.recurring.interval] * item.price.recurring.interval_count))
        await client.query({
            name: 'entitlement',
            values: [scope, hash(`${scope}:${userId}:${item.price.id}`), userId, item.price.id, item.price.product, status,
                time(item.current_period_start), ends, renews, event.type, at, event.id, now, access, status === 'active' && renews ? ends : null,
                subscription.status === 'trialing' ? 'trial' : 'normal', item.quantity, item.price.unit_amount,
                item.price.currency.toUpperCase(), monthly, access > now],
            text: `INSERT INTO entitlements AS e (scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id,
                       transaction_id, status, purchased_at, expires_at, will_renew, last_event_type, last_event_at, last_rank,
                       last_period_end, last_event_id, last_transaction_id, created_at, updated_at, revision, access_until, renewal_until,
                       period_type, store, quantity, price_amount, price_currency, monthly_amount, is_open, access_revision)
                   VALUES ($1, $2, $3, 'payments', $4, $5, '', $6, $7, $8, $9, $10, $11, 0, $8, $12, '', $13, $13, 1, $14, $15, $16, 'STRIPE',
                       $17, $18, $19, $20, $21, 1)
                   ON CONFLICT (scope_id, entitlement_id) DO UPDATE SET status = excluded.status, purchased_at = excluded.purchased_at,
                       expires_at = excluded.expires_at, will_renew = excluded.will_renew, last_event_type = excluded.last_event_type,
                       last_event_at = excluded.last_event_at, last_event_id = excluded.last_event_id,
                       updated_at = excluded.updated_at, access_until = excluded.access_until, renewal_until = excluded.renewal_until,
                       period_type = excluded.period_type, quantity = excluded.quantity, price_amount = excluded.price_amount,
                       price_currency = excluded.price_currency, monthly_amount = excluded.monthly_amount, is_open = excluded.is_open,
                       revision = e.revision + 1, access_revision = e.revision + 1`,
        })
    }
    return result
}

app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body))

app.post('/webhooks/payments', async (request, reply) => {
    let event
    try {
        event = webhooks.constructEvent(request.body, request.headers['stripe-signature'] ?? '', process.env.SECRET)
    } catch {
        return reply.status(401).send({ error: 'UNAUTHORIZED' })
    }
    const tenant = await tenantOf(request.headers.host)
    if (!tenant) return reply.status(404).send({ error: 'TENANT_NOT_FOUND' })
    const scope = tenant * 2 + (event.livemode ? 0 : 1)
    const result = await scoped(scope, client => apply(client, scope, event, request.body.toString()))
    return { received: true, result }
})

app.get('/health', async () => ({}))

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 8199) })
