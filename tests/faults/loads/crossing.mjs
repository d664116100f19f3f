// Actions of auth-mfa's users that begin at one replica and end at another replica, whose clock is two TOTP steps ahead: enrolments, sign-ins
// with each kind of code, renewals of refresh tokens. A replica accepts the codes of its current step, of the step before and of the step
// after, so one step is valid at both replicas. An access token of the replica that is ahead is used only there: the other replica refuses
// tokens that were issued more than 30 s ahead of its clock.
import { sleep } from '../../upgrade/processes.mjs'
import { codeAt, stepSeconds } from '../../upgrade/traffic/auth-mfa.mjs'
import { insist } from '../ledger.mjs'

const tooLate = 5 // seconds at the end of a step in which no code is sent
const retryWindow = 9_000 // ms; auth-mfa accepts a used refresh token for one second longer

export class Crossing {
    enrolments = 0
    renewals = 0
    retries = 0 // renewals that were sent again to the other replica, as after a lost response
    refusedAgain = 0 // codes that were used at one replica and refused by the other replica
    signIns = {
        'an app, ended at the replica ahead': 0,
        'a recovery code, ended at the replica ahead': 0, 'a recovery code, ended at the replica behind': 0,
        'a text message, ended at the replica ahead': 0, 'a text message, ended at the replica behind': 0,
    }

    // `replicas` are two objects {port, ahead}. `ahead` is the number of seconds by which the replica's clock is ahead.
    constructor(load, replicas) {
        const [behind, ahead] = [...replicas].sort((a, b) => a.ahead - b.ahead)
        Object.assign(this, { load, behind, ahead })
    }

    start() {
        for (const work of [this.#enrolAndSignIn, this.#signInWithTexts, this.#renewInTurn]) {
            this.load.loop(20 * this.load.pause, () => this.#withClients((...clients) => work.apply(this, clients)))
        }
    }

    // The number of actions of each kind that used both replicas.
    get figures() {
        return {
            'enrolments begun at the replica behind, confirmed at the replica ahead': this.enrolments,
            'used codes refused by the other replica': this.refusedAgain,
            'renewals at a different replica than before': this.renewals,
            'renewals sent again to the other replica': this.retries,
            ...Object.fromEntries(Object.entries(this.signIns).map(([what, n]) => [`sign-ins with ${what}`, n])),
        }
    }

    // Makes a client for each replica, with a new address, because enrolments are limited by address.
    async #withClients(work) {
        const clients = [this.behind, this.ahead].map(({ port }) => this.load.client({ port }))
        await work(...clients).finally(() => { for (const client of clients) client.close() })
    }

    #count(code, verifier) { this.signIns[`${code}, ended at the replica ${verifier.port === this.ahead.port ? 'ahead' : 'behind'}`]++ }

    #fail(what) { this.load.figures.failures.push(`${this.load.host}: ${what}`) }

    // Sends the code of the current step of a clock that is `ahead` seconds ahead. Returns the response and the code, or undefined if the
    // code is refused. Tries again if the step ended during the request.
    async #withCode(secret, ahead, send) {
        for (;;) {
            const now = () => Date.now() / 1000 + ahead, step = Math.floor(now() / stepSeconds), left = (step + 1) * stepSeconds - now()
            if (left < tooLate) {
                await sleep(left * 1000)
                continue
            }
            const code = codeAt(secret, step), answer = await insist(this.load.figures, () => send(code), ['400'])
            if (answer || Math.floor(now() / stepSeconds) === step) return answer && { answer, code }
        }
    }

    async #enrolAndSignIn(behind, ahead) {
        const { load } = this, { email, token } = await load.registerSurely(behind)
        const { secret } = await insist(load.figures, () => behind.send('POST', '/v1/auth/mfa/totp/setup', { token }))
        const confirmed = await this.#withCode(secret, (this.behind.ahead + this.ahead.ahead) / 2,
            code => ahead.send('POST', '/v1/auth/mfa/totp/confirm', { token, body: { code } }))
        if (!confirmed) return this.#fail('an enrolment begun at one replica was refused by the other')
        this.enrolments++
        load.book.enrolled.push(email)
        if (await load.useCode(ahead, email, confirmed.code, behind, 'totp')) return this.#fail('the code that confirmed an app was accepted again')
        this.refusedAgain++
        const signedIn = await this.#withCode(secret, this.ahead.ahead, code => load.trySignIn(behind, email, code, ahead, 'totp'))
        if (!signedIn) return this.#fail('the code of an app was refused by the other replica')
        load.signedIn(signedIn.answer)
        this.#count('an app', ahead)
        const [first, other] = confirmed.answer.recoveryCodes
        await this.#useRecoveryCode(email, `${email}/0`, first, behind, ahead)
        await this.#useRecoveryCode(email, `${email}/1`, other, ahead, behind)
    }

    async #useRecoveryCode(email, mark, code, beginner, verifier) {
        const { load } = this
        load.book.codes.sent(mark)
        const answer = await load.useCode(beginner, email, code, verifier)
        if (!answer) return this.#fail('a recovery code was refused by the other replica')
        load.book.codes.acknowledge(mark)
        load.signedIn(answer)
        this.#count('a recovery code', verifier)
        if (await load.useCode(verifier, email, code, beginner)) load.book.usedTwice.push(mark)
        else this.refusedAgain++
    }

    async #signInWithTexts(...clients) {
        const { load } = this, { email } = await load.registerSurely(clients[0]), phone = await load.givePhone(email)
        for (let n = 0; n < 4 && !load.stopping; n++) {
            const [beginner, verifier] = n % 2 ? [...clients].reverse() : clients
            if (await load.signInWithText(beginner, email, phone, verifier)) this.#count('a text message', verifier)
        }
    }

    async #renewInTurn(...clients) {
        let chain
        for (let n = 0; n < 6 && !this.load.stopping; n++) {
            const before = { since: performance.now(), renewals: chain?.renewals, token: chain?.answer.refreshToken }
            chain = await this.load.renew(clients[n % 2], chain)
            if (!chain) return this.#fail('a renewal at the other replica ended the session')
            if (!(chain.renewals > before.renewals)) continue
            this.renewals++
            if (!await this.#renewAgain(clients[(n + 1) % 2], chain, before)) return
        }
    }

    // Sends the used token to the other replica. Returns false if the session has ended.
    async #renewAgain(client, chain, { token, since }) {
        const refreshToken = { body: { refreshToken: token } }
        const again = await insist(this.load.figures, () => client.send('POST', '/v1/auth/refresh', refreshToken), ['401'])
        const inTime = performance.now() - since < retryWindow
        if (again) this.retries++
        else chain.over = true
        if (!again && inTime) this.#fail('a session was ended when its renewal was sent again to the other replica')
        return Boolean(again)
    }
}
