// The peer of auth-mfa for scripts/bench: oidc-provider with its tokens in memory. It answers a code exchange with the same tokens: an access
// token and an id token as JWT, and a refresh token. GET /codes?client=C&count=N returns N new codes of the client `public-ES256` or
// `public-RS256`, each of another user, and forgets the earlier ones.
//
//     PORT=8199 REDIRECT_URI=https://client.bench.test/callback CHALLENGE=... node server.mjs
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const { PORT: port, REDIRECT_URI: redirectUri, CHALLENGE: codeChallenge } = process.env
const scope = 'openid offline_access', resource = 'urn:bench'
const day = 24 * 60 * 60, epoch = () => Math.floor(Date.now() / 1000)

// Stored objects by model and id, and their keys by grant. The default adapter of oidc-provider keeps only the last 1,000 objects.
const stored = new Map(), granted = new Map()
class Memory {
    constructor(model) {
        this.key = id => `${model}:${id}`
    }
    async upsert(id, payload) {
        stored.set(this.key(id), payload)
        if (!payload.grantId) return
        if (!granted.has(payload.grantId)) granted.set(payload.grantId, [])
        granted.get(payload.grantId).push(this.key(id))
    }
    async find(id) {
        return stored.get(this.key(id))
    }
    async consume(id) {
        stored.get(this.key(id)).consumed = epoch()
    }
    async destroy(id) {
        stored.delete(this.key(id))
    }
    async revokeByGrantId(grantId) {
        for (const key of granted.get(grantId) ?? []) stored.delete(key)
        granted.delete(grantId)
    }
}

const jwk = (alg, type, options) => ({ ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: alg })
const provider = new Provider(`http://127.0.0.1:${port}`, {
    adapter: Memory,
    clients: ['ES256', 'RS256'].map(alg => ({
        client_id: `public-${alg}`, token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri], id_token_signed_response_alg: alg,
    })),
    cookies: { keys: ['of this process alone'] },
    features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
            enabled: true, useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope, audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
        },
    },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    jwks: { keys: [jwk('ES256', 'ec', { namedCurve: 'P-256' }), jwk('RS256', 'rsa', { modulusLength: 2048 })] },
    pkce: { required: () => true },
    ttl: { AccessToken: 900, AuthorizationCode: day, Grant: 30 * day, IdToken: 900, RefreshToken: 30 * day },
})

async function newCode(client, accountId) {
    const grant = new provider.Grant({ accountId, clientId: client.clientId })
    grant.addOIDCScope(scope)
    grant.addResourceScope(resource, scope)
    return new provider.AuthorizationCode({
        accountId, acr: 'aal1', amr: ['pwd'], authTime: epoch(), client, codeChallenge, codeChallengeMethod: 'S256', grantId: await grant.save(),
        redirectUri, resource, scope,
    }).save()
}

async function newCodes(query) {
    stored.clear()
    granted.clear()
    const client = await provider.Client.find(query.get('client')), codes = []
    for (let n = 0; n < Number(query.get('count')); n++) codes.push(await newCode(client, `user-${n}`))
    return codes
}

const callback = provider.callback()
createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://127.0.0.1')
    if (pathname === '/codes') res.end(JSON.stringify(await newCodes(searchParams)))
    else callback(req, res)
}).listen(Number(port), '127.0.0.1')
