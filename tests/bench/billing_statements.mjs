// What pgbench runs to be compared with billing: the look-ups and the rows of the service's statements, for one request at a time.
import { freshId } from './lib.mjs'
import { price, scopes, users } from './billing_load.mjs'

const entitlement = `e.entitlement_id, e.user_id, e.source, e.provider_product_id, e.alternative_product_id, e.transaction_id, e.status,
    e.purchased_at, e.expires_at, e.grace_until, e.will_renew, e.reason, e.last_event_type, e.last_event_at, e.last_rank, e.last_period_end,
    e.last_event_id, e.last_transaction_id, e.created_at, e.updated_at, e.revision, e.access_until, e.renewal_until, e.leeway_ends_at,
    e.past_due_until, e.is_ended, e.is_past_due, e.period_type, e.trial_ends_at, e.store, e.quantity, e.price_amount, e.price_currency,
    e.monthly_amount, e.cancel_reason`
const catalog = `LEFT JOIN LATERAL (SELECT q.product_id, q.features, q.grants FROM products q WHERE q.tenant_id = e.scope_id / 2
    AND q.provider_product_id = ANY (ARRAY[e.provider_product_id, e.alternative_product_id]) LIMIT 1) AS p ON true`

// The columns that an event changes.
const changed = ['status', 'purchased_at', 'expires_at', 'will_renew', 'last_event_type', 'last_event_at', 'last_period_end', 'last_event_id',
    'updated_at', 'access_until', 'renewal_until', 'period_type', 'store', 'quantity', 'price_amount', 'price_currency', 'monthly_amount',
    'lines', 'is_open'].map(name => `${name} = excluded.${name}`).join(', ')

// A stored subscription with one item has about this length.
const state = `{"status":"active","type":"customer.subscription.updated","items":[{"product":"${price}"}],"padding":"${'x'.repeat(320)}"}`

const found = (table, claim) => `LEFT JOIN LATERAL (SELECT true AS yes FROM ${table} x WHERE x.scope_id = :s AND ${claim} LIMIT 1)`

// For an event of a subscription, the service first reads the current state, then it writes.
export const ingestStatements = first => `\\set n random(0, ${users - 1})
    \\set s ${first} + :n % ${scopes}
    \\set c random(1, 1000000000000)
    SELECT s.state FROM payment_subscriptions s WHERE s.scope_id = :s AND s.subscription_id = 'sub_pgbench' || :n
        UNION ALL SELECT s.state FROM payment_subscriptions s WHERE s.scope_id = :s AND s.user_id = 'user-pgbench-' || :n
            AND s.subscription_id <> 'sub_pgbench' || :n
        UNION ALL SELECT s.state FROM subscription_former_users f JOIN payment_subscriptions s USING (scope_id, subscription_id)
            WHERE f.scope_id = :s AND f.user_id = 'user-pgbench-' || :n;
    SELECT c.yes, h.yes, a.yes, u.yes, ${entitlement}, e.lines FROM (SELECT 1) AS k
        ${found('event_claims', 'x.claim = md5((:c)::text)::uuid')} AS c ON true
        ${found('webhooks', 'x.enabled')} AS h ON true
        ${found('event_claims', "x.claim = md5('waiting' || :n)::uuid")} AS a ON true
        LEFT JOIN LATERAL (SELECT true AS yes FROM erased_users x WHERE x.user_hash = sha256(convert_to('user-' || :n, 'UTF8')) LIMIT 1) AS u
            ON true
        LEFT JOIN LATERAL (SELECT * FROM entitlements x WHERE x.scope_id = :s AND x.entitlement_id = md5('pgbench' || :n)::uuid) AS e ON true;
    WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at, ${freshId} AS archive_id),
        claimed AS (INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
            SELECT :s, md5((:c)::text)::uuid, n.archive_id, n.at FROM n ON CONFLICT DO NOTHING RETURNING archive_id),
        archived AS (INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, subject, event_at, payload,
                is_filed)
            SELECT :s, n.at, n.archive_id, 'payments', 'evt_' || :c, 'customer.subscription.updated', 'applied', 'user-' || :n, 'sub_pgbench' || :n,
                n.at, repeat('{"object":"event"}', 62), true FROM n JOIN claimed USING (archive_id)),
        subscribed AS (INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, revision)
            SELECT :s, 'sub_pgbench' || :n, 'user-pgbench-' || :n, '${state}', 1 FROM claimed
            ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id, state = excluded.state, revision = s.revision + 1,
                updated_at = clock_timestamp())
    INSERT INTO entitlements AS e (scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id, status,
        purchased_at, expires_at, will_renew, last_event_type, last_event_at, last_rank, last_period_end, last_event_id, last_transaction_id,
        created_at, updated_at, revision, access_until, renewal_until, period_type, store, quantity, price_amount, price_currency, monthly_amount,
        lines, is_open, access_revision)
    SELECT :s, md5('pgbench' || :n)::uuid, 'user-' || :n, 'payments', '${price}', 'prod_pro', '', 'active', n.at, n.at + interval '1 year', true,
        'customer.subscription.updated', n.at, 0, n.at + interval '1 year', 'evt_' || :c, '', n.at, n.at, 1, n.at + interval '1 year',
        n.at + interval '1 year', 'normal', 'STRIPE', 1, 900, 'EUR', 900, '[]', true, 1 FROM n JOIN claimed USING (archive_id)
    ON CONFLICT (scope_id, entitlement_id) DO UPDATE SET ${changed}, revision = e.revision + 1, access_revision = e.revision + 1;`

// The tenants of the benchmark have the default settings: a leeway of one hour, and no access while a payment is past due.
const accessEnd = `greatest(CASE WHEN e.is_ended THEN '-infinity' ELSE e.access_until END, CASE WHEN e.renewal_until IS NOT NULL
    AND NOT e.is_ended THEN least(e.renewal_until + interval '1 hour', e.leeway_ends_at) END)`

export const readStatements = first => {
    const set = `\\set n random(0, ${users - 1})\n\\set s ${first} + :n % ${scopes}\n`
    return {
        entitlements: `${set}SELECT ${entitlement}, p.* FROM entitlements e ${catalog} WHERE e.scope_id = :s AND e.user_id = 'user-' || :n;`,
        feature: `${set}SELECT count(*) > 0, max(a.ends) FROM entitlements e ${catalog} CROSS JOIN LATERAL (SELECT ${accessEnd} AS ends) AS a
            WHERE e.scope_id = :s AND e.user_id = 'user-' || :n AND a.ends > now() AND 'export' = ANY (p.features);`,
    }
}
