// The write of each service that overload.mjs sends, as text for a socket of our own. Each takes a transaction of its own, or a hash.
import { randomUUID } from 'node:crypto'
import { password } from '../upgrade/traffic/auth-mfa.mjs'

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

const writes = {
    feedback: () => ['/v1/feedbacks', { category: 'bug', title: 'Overload', body: 'It stops.' }],
    'auth-mfa': ({ emails }, n) => ['/v1/auth/login', { email: emails[n % emails.length], password }],
    notify: () => ['/v1/notifications/send',
        { templateName: 'welcome', channel: 'email', to: 'ada@example.org', variables: { name: 'Ada' }, sendAt: tomorrow() }],
    billing: ({ productId }, n) => [`/v1/users/user-${n}/grants`, { productId, reason: 'Overload' }],
}

// `caller`: {service, host, token, and what its write needs}; `n` counts.
export function writeOf(caller, n) {
    const [path, body] = writes[caller.service](caller, n), text = JSON.stringify(body)
    return `POST ${path} HTTP/1.1\r\nHost: ${caller.host}\r\n${caller.token ? `Authorization: Bearer ${caller.token}\r\n` : ''}` +
        `Idempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}

// As many networks as there are: some limits are by network.
export const networks = n => `127.0.${1 + n % 200}.${1 + Math.floor(n / 200) % 250}`
