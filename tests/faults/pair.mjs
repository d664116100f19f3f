// The stand's PostgreSQL and a standby that it waits for before it acknowledges a commit. The proxies are the address that follows
// the primary.
import { rmSync } from 'node:fs'
import { eventually } from '../upgrade/processes.mjs'
import { Postgres } from '../upgrade/postgres.mjs'
import { settings, sleep } from './stand.mjs'

const blind = 1000 // ms for which the address leads to the standby before that takes writes

export class Pair {
    static async begin(stand) {
        const pair = new Pair()
        pair.stand = stand
        await pair.#addStandby(`${stand.folder}/standby`)
        return pair
    }

    async #addStandby(folder) {
        const { stand } = this
        this.standby = await Postgres.follow(stand.postgres, folder, { log: stand.log('standby'), settings })
        await this.#wait("SET synchronous_standby_names = '*'")
        await eventually('the standby is synchronous', async () =>
            (await stand.postgres.sql('postgres', "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1)
    }
    async #wait(setting) {
        await this.stand.postgres.sql('postgres', `ALTER SYSTEM ${setting}`)
        await this.stand.postgres.sql('postgres', 'SELECT pg_reload_conf()')
    }

    // From now on new connections lead to `postgres`; those that are open stay where they are.
    leadTo(postgres) { this.stand.leadProxiesTo(postgres) }

    // Kills the primary and promotes the standby, whom services meet before it takes writes. Yields the time of the promotion.
    async failOver() {
        const { stand } = this, next = this.standby
        stand.expected.add('postgres')
        stand.postgresHeld = true
        stand.signalPostgres('SIGKILL')
        await stand.postgres.process.ended
        this.leadTo(next)
        await sleep(blind)
        await next.sql('postgres', 'SELECT pg_promote()')
        const promoted = performance.now()
        this.standby = undefined
        this.former = stand.postgres
        stand.postgres = next
        stand.postgresHeld = false
        return promoted
    }

    // The primary that was killed comes back as the standby of the one that took its place.
    async comeBack() {
        rmSync(this.former.folder, { recursive: true })
        await this.#addStandby(this.former.folder)
    }

    async end() {
        await this.#wait('RESET synchronous_standby_names')
        await this.standby.stop()
        rmSync(this.standby.folder, { recursive: true })
    }
}
