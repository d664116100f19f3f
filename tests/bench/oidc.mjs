// Compares auth-mfa's exchange of authorization codes with pgbench and with oidc-provider, and the documents of its discovery with /livez.
// auth-mfa.mjs prepares the tenant and its users.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { drive } from './connections.mjs'
import {
    addTable, addText, alternate, answers, charged, database, env, freshId, here, listFile, note, rounds, start, stop, wrk,
} from './lib.mjs'
import { atLeast, atMost, grouped, k, times, us } from './report.mjs'

const port = Number(env.AUTH_PORT)
const peerPort = 8199
const { sql, pgbench } = database('auth_mfa')
const sha256 = text => createHash('sha256').update(text).digest('base64url')

const redirectUri = 'https://client.bench.test/callback'
const granted = 'openid offline_access'
const verifier = 'bench'.repeat(10)
const challenge = sha256(verifier)
const clients = ['public', 'confidential'].flatMap(type => ['ES256', 'RS256'].map(alg => ({ id: `${type}-${alg}`, type, alg })))
const publicClients = clients.filter(({ type }) => type === 'public')

// --- data ------------------------------------------------------------------------------------------------------------------------

// Sends a request to the tenant's host. fetch cannot name a host of its own, and the resolver may not know hosts below `localhost`.
function post(host, path, body) {
    const headers = { host, authorization: `Bearer ${env.MASTER_KEY}`, 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
        const sent = http.request({ port: env.AUTH_PORT, method: 'POST', path, headers }, async response => {
            const answer = (await response.toArray()).join('')
            if (response.statusCode === 201) resolve(JSON.parse(answer))
            else reject(new Error(`POST ${path}: ${response.statusCode} ${answer}`))
        })
        sent.on('error', reject)
        sent.end(JSON.stringify(body))
    })
}

async function createClients(host) {
    for (const client of clients) {
        const { id, type, alg } = client
        const body = { clientId: id, name: `Bench ${id}`, type, redirectUris: [redirectUri], idTokenSigningAlg: alg }
        client.secret = (await post(host, '/v1/clients', body)).secret
    }
}

// The code with the number n.
const codeOf = n => sha256(`code-${n}`)
// The stored hash of this code in SQL; `n` is an SQL expression.
const hashOf = n => `sha256(convert_to(translate(rtrim(encode(sha256(convert_to('code-' || ${n}, 'UTF8')), 'base64'), '='), '+/', '-_'), 'UTF8'))`

// Inserts `count` codes from number `first` on, as POST /oauth/authorize does for users in turn, but valid for a day. The session of a
// user has the user's id.
function insertCodes({ scope, users }, first, count, { id, type }) {
    sql(`INSERT INTO authorization_codes (scope_id, code_hash, session_id, parent_id, user_id, client_id, redirect_uri, scope, code_challenge,
             created_at, expires_at)
         SELECT ${scope}, ${hashOf('n')}, ${freshId}, user_id, user_id, '${id}', '${redirectUri}', '${granted}',
             ${type === 'public' ? `'${challenge}'` : 'NULL'}, now(), now() + interval '1 day'
         FROM (SELECT n, ('00000000-0000-7000-8000-' || lpad((n % ${users})::text, 12, '0'))::uuid AS user_id
             FROM generate_series(${first}::bigint, ${first + count - 1}::bigint) n) AS r`)
}

function tokenRequest(path, host, { id, type, secret }, code) {
    const proof = type === 'public' ? { client_id: id, code_verifier: verifier } : {}
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...proof }).toString()
    const authorization = secret ? `Authorization: Basic ${btoa(`${id}:${secret}`)}\r\n` : ''
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Content-Type: application/x-www-form-urlencoded\r\n` +
        `Content-Length: ${form.length}\r\n\r\n${form}`
}

// --- measurements ----------------------------------------------------------------------------------------------------------------

function exchange(toPort, pid, connections, requests) {
    return charged(pid, () => drive(toPort, connections, {
        next: () => requests.pop(),
        take({ status, body }) {
            if (status !== 200 || !body.includes('"id_token"')) throw new Error(`the exchange of a code: ${status} ${body}`)
        },
    }))
}

// A statement of pgbench with the locks and the rows of an exchange (storage/authorization_codes.cpp). The sequence bench_codes has the
// number of the next code.
const redeemRows = scope => `WITH k AS MATERIALIZED (SELECT ${hashOf("nextval('bench_codes')")} AS hash), n AS MATERIALIZED (
            SELECT c.code_hash, c.session_id, c.parent_id, c.client_id, c.scope, u.user_id, u.role
            FROM k
            JOIN authorization_codes c ON c.scope_id = ${scope} AND c.code_hash = k.hash AND c.used_at IS NULL AND c.expires_at > now()
            JOIN users u ON u.scope_id = ${scope} AND u.user_id = c.user_id AND u.status = 'active'
            FOR NO KEY UPDATE OF u
        ), used AS (
            UPDATE authorization_codes c SET used_at = clock_timestamp() FROM n
            WHERE c.scope_id = ${scope} AND c.code_hash = n.code_hash AND c.used_at IS NULL
            RETURNING c.session_id
        ), browser AS MATERIALIZED (
            SELECT p.session_id, p.amr, coalesce(p.authenticated_at, p.created_at) AS authenticated_at,
                coalesce(p.aal2, 'mfa' = ANY (p.amr)) AS aal2
            FROM n
            JOIN used ON used.session_id = n.session_id
            JOIN sessions p ON p.scope_id = ${scope} AND p.session_id = n.parent_id AND p.ended_at IS NULL AND p.expires_at > now()
            FOR SHARE OF p
        ), opened AS (
            INSERT INTO sessions (scope_id, session_id, user_id, amr, authenticated_at, aal2, created_at, rotated_at, expires_at, user_agent,
                address, client_id, scope, parent_id)
            SELECT ${scope}, n.session_id, n.user_id, b.amr, b.authenticated_at, b.aal2, clock_timestamp(), now(),
                clock_timestamp() + interval '30 days', '', '127.0.0.1', n.client_id, n.scope, n.parent_id
            FROM n JOIN browser b ON b.session_id = n.parent_id
            RETURNING session_id
        )
        INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, after, request_id)
        SELECT ${scope}, ${freshId}, clock_timestamp(), n.user_id::text, n.role, 'session.created', 'session', n.session_id::text,
            jsonb_build_object('clientId', n.client_id, 'scope', n.scope), 'bench'
        FROM n JOIN opened s ON s.session_id = n.session_id`

function redeemWithPgbench({ scope, exchanges }, first) {
    sql(`ALTER SEQUENCE bench_codes RESTART WITH ${first}`)
    const used = () => Number(sql(`SELECT count(*) FROM authorization_codes WHERE scope_id = ${scope} AND used_at IS NOT NULL`))
    const before = used(), figures = pgbench(`${redeemRows(scope)};`, exchanges)
    if (used() - before !== exchanges) throw new Error(`pgbench redeemed ${used() - before} instead of ${exchanges} codes`)
    return figures
}

async function exchangeAtPeer(peer, { connections, exchanges }, client) {
    const host = `127.0.0.1:${peerPort}`
    const codes = await (await fetch(`http://${host}/codes?client=${client.id}&count=${exchanges}`)).json()
    return exchange(peerPort, peer.pid, connections, codes.map(code => tokenRequest('/token', host, client, code)))
}

// Inserts the codes of all rounds. Returns the number of the first code of a round; pgbench has the place after the clients.
function insertAllCodes(where) {
    const firstOf = (place, round) => (place * rounds + round) * where.exchanges
    for (const [place, client] of [...clients, clients[0]].entries()) {
        note(`codes: ${grouped(firstOf(place, 0))} of ${grouped(firstOf(clients.length + 1, 0))}`)
        insertCodes(where, firstOf(place, 0), rounds * where.exchanges, client)
    }
    sql('CREATE SEQUENCE bench_codes MINVALUE 0')
    sql('VACUUM (ANALYZE) authorization_codes')
    sql('CHECKPOINT')
    return firstOf
}

async function exchangesBesidePeer(where) {
    await createClients(where.host)
    const firstOf = insertAllCodes(where)
    const peer = start('node', [`${here}oidc-peer/server.mjs`],
        { PORT: String(peerPort), REDIRECT_URI: redirectUri, CHALLENGE: challenge, NODE_ENV: 'production' })
    await answers(`http://127.0.0.1:${peerPort}/.well-known/openid-configuration`)
    // Not measured: Node compiles code that runs often.
    for (const client of publicClients) await exchangeAtPeer(peer, where, client)
    const requests = (place, round) => Array.from({ length: where.exchanges },
        (_, i) => tokenRequest('/oauth/token', where.host, clients[place], codeOf(firstOf(place, round) + i)))
    const found = await alternate('exchange', {
        pgbench: round => redeemWithPgbench(where, firstOf(clients.length, round)),
        ...Object.fromEntries(clients.map(({ id }, place) =>
            [id, round => exchange(port, env.AUTH_PID, where.connections, requests(place, round))])),
        ...Object.fromEntries(publicClients.map(client => [`peer ${client.id}`, () => exchangeAtPeer(peer, where, client)])),
    })
    await stop(peer)
    return found
}

const documents = { livez: '/livez', discovery: '/.well-known/openid-configuration', jwks: '/.well-known/jwks.json' }

function documentsBesideLivez({ host, connections }) {
    for (const [name, path] of Object.entries(documents)) writeFileSync(listFile(name), `GET ${path} -\n`)
    const get = (name, toPort) => () => wrk(`http://127.0.0.1:${toPort}`, listFile(name), env.AUTH_PID, { host, connections })
    return alternate('documents', { livez: get('livez', env.AUTH_OPS_PORT), discovery: get('discovery', port), jwks: get('jwks', port) })
}

// `where`: the `tenant` with its `host` and production `scope`, whose users 0 to `users` - 1 have a session with the user's id; the number of
// `connections`, and of `exchanges` in a round.
export async function oidcFigures(where) {
    return { where, exchanged: await exchangesBesidePeer(where), read: await documentsBesideLivez(where) }
}

// --- reporting -------------------------------------------------------------------------------------------------------------------

export function addOidc({ where, exchanged, read }) {
    const { pgbench: written } = exchanged
    addTable([`POST /oauth/token with a code, ${where.connections} connections`, 'exchanges/s', 'CPU µs each: service', 'PostgreSQL', 'load',
        'pgbench, 8 clients', 'rate ÷ pgbench', 'oidc-provider', 'CPU µs each', 'rate ÷ oidc-provider'], clients.map(({ id, type, alg }) => {
        const service = exchanged[id], peer = exchanged[`peer ${id}`]
        const label = `${type} client, ${alg}`
        return [label, k(service.rate), us(service.cpu), us(service.database), us(service.own), k(written.rate),
            atLeast(`${label}: rate ÷ pgbench`, service.rate / written.rate, 0.7),
            ...peer ? [k(peer.rate), us(peer.cpu), atLeast(`${label}: rate ÷ oidc-provider`, service.rate / peer.rate, 6)] : []]
    }))
    addText(`${grouped(where.exchanges)} new codes in each round, of ${grouped(where.users)} users, for the scope \`${granted}\`. Public clients use ` +
        'PKCE, confidential clients send their secret. The algorithm is that of the id token. ' +
        `pgbench takes ${us(written.database)} µs of PostgreSQL for an exchange.`)
    addTable([`GET, ${where.connections} connections`, 'requests/s', 'CPU µs/request', 'CPU ÷ /livez'], Object.entries(documents).map(([name, path]) => [
        path, k(read[name].rate), us(read[name].cpu),
        name === 'livez' ? '1 ×' : atMost(`${path}: CPU ÷ /livez`, read[name].cpu / read.livez.cpu, 1.3),
    ]))
    addText(`One I/O thread of the same process answers /livez, all of them the others. Rate ÷ /livez: ${times(read.discovery.rate / read.livez.rate)} ` +
        `for discovery, ${times(read.jwks.rate / read.livez.rate)} for the keys.`)
}
