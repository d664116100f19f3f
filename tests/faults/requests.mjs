// The writes that overload.mjs sends, as text for a socket. Kinds of writes:
//   alone      each write has its own transaction (feedback, notify and billing), or its own hash (auth-mfa)
//   batched    concurrent writes share a transaction (pg::Batcher): a write without an Idempotency-Key, or an event of the
//              payments provider. auth-mfa has no such write: hashing limits its sign-ins.
import { randomUUID } from 'node:crypto'
import { password } from '../upgrade/traffic/auth-mfa.mjs'
import { eventOf, signatureOf } from '../upgrade/traffic/billing.mjs'

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
const keyed = write => (caller, n) => ({ ...write(caller, n), headers: { 'Idempotency-Key': randomUUID() } })

const thread = () => ({ path: '/v1/feedbacks', body: { category: 'bug', title: 'Overload', body: 'It stops.' } })
const signIn = ({ emails }, n) => ({ path: '/v1/auth/login', body: { email: emails[n % emails.length], password } })
const send = () => ({
    path: '/v1/notifications/send',
    body: { templateName: 'welcome', channel: 'email', to: 'ada@example.org', variables: { name: 'Ada' }, sendAt: tomorrow() },
})
const grant = ({ productId }, n) => ({ path: `/v1/users/user-${n}/grants`, body: { productId, reason: 'Overload' } })
function sale({ environment, secret }) {
    const text = eventOf(randomUUID(), environment === 'production')
    return { path: '/webhooks/payments', text, headers: { 'Stripe-Signature': signatureOf(text, secret) } }
}

const writes = {
    feedback: { alone: keyed(thread), batched: thread },
    'auth-mfa': { alone: signIn },
    notify: { alone: keyed(send), batched: send },
    billing: { alone: keyed(grant), batched: sale },
}
export const kindsOf = service => Object.keys(writes[service])

// `caller` is {service, environment, host, token, and the data that its writes need}. `n` is the number of the write.
export function writeOf(caller, kind, n) {
    const { path, body, text = JSON.stringify(body), headers = {} } = writes[caller.service][kind](caller, n)
    const more = { ...(caller.token && { Authorization: `Bearer ${caller.token}` }), ...headers }
    return `POST ${path} HTTP/1.1\r\nHost: ${caller.host}\r\n${Object.entries(more).map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}

// Spreads clients over many networks, because some limits are per network.
export const networks = n => `127.0.${1 + n % 200}.${1 + Math.floor(n / 200) % 250}`
