// A software authenticator: passkeys with ES256, as a browser returns them (Web Authentication Level 3). Its counter stays 0.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const present = 0x01, verified = 0x04, hasCredential = 0x40 // flags of the authenticator data

// A CBOR byte string of less than 65,536 bytes.
const bytes = content => Buffer.concat([content.length < 256 ? Buffer.from([0x58, content.length]) :
    Buffer.from([0x59, content.length >> 8, content.length & 255]), content])
// The CBOR text strings fmt, none, attStmt and authData.
const [fmt, none, attStmt, authData] = ['fmt', 'none', 'attStmt', 'authData'].map(text => Buffer.from([0x60 + text.length, ...Buffer.from(text)]))

function coseKey(publicKey) {
    const { x, y } = publicKey.export({ format: 'jwk' })
    return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), Buffer.from(x, 'base64url'), Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')])
}

export class Passkey {
    #key
    #id = randomBytes(32)
    #origin
    #rpIdHash
    #user

    // Makes a passkey for the options of POST /v1/auth/passkeys/options on a page of `origin`. `registration` is then the credential that
    // the browser would return.
    constructor(options, origin) {
        const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
        this.#key = privateKey
        this.#origin = origin
        this.#rpIdHash = sha256(options.rp.id)
        this.#user = options.user.id
        const data = Buffer.concat([this.#data(present | verified | hasCredential), Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id,
            coseKey(publicKey)])
        const attestation = Buffer.concat([Buffer.from([0xa3]), fmt, none, attStmt, Buffer.from([0xa0]), authData, bytes(data)])
        this.registration = this.#credential({
            clientDataJSON: this.#clientData('webauthn.create', options.challenge), attestationObject: attestation.toString('base64url'),
            transports: ['internal'],
        })
    }

    // The credential that the browser returns for a challenge of POST /v1/auth/passkeys/challenge.
    answer(challenge) {
        const data = this.#data(present | verified), clientDataJSON = this.#clientData('webauthn.get', challenge)
        const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
        return this.#credential({
            clientDataJSON, authenticatorData: data.toString('base64url'), signature: sign('sha256', signed, this.#key).toString('base64url'),
            userHandle: this.#user,
        })
    }

    #data(flags) {
        return Buffer.concat([this.#rpIdHash, Buffer.from([flags, 0, 0, 0, 0])])
    }

    #clientData(type, challenge) {
        return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false })).toString('base64url')
    }

    #credential(response) {
        const id = this.#id.toString('base64url')
        return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
    }
}
