// The PostgreSQL of the stand and its synchronous standby. The services connect to the proxies, which forward to the primary.
import { rmSync } from 'node:fs'
import { eventually } from '../upgrade/processes.mjs'
import { Postgres } from '../upgrade/postgres.mjs'
import { settings, sleep } from './stand.mjs'

const blind = 1000 // ms for which the address points to the standby before the standby accepts writes

export class Pair {
    // Starts a standby: a new one, or the former primary.
    static async begin(stand) {
        const pair = new Pair(), folder = stand.former?.folder ?? `${stand.folder}/standby`
        pair.stand = stand
        rmSync(folder, { recursive: true, force: true })
        pair.standby = await Postgres.follow(stand.postgres, folder, { log: stand.log('standby'), settings })
        await pair.#set("synchronous_standby_names = '*'")
        await eventually('the standby is synchronous', async () =>
            (await stand.postgres.sql('postgres', "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1)
        return pair
    }

    async #set(setting) {
        await this.stand.postgres.sql('postgres', `ALTER SYSTEM SET ${setting}`)
        await this.stand.postgres.sql('postgres', 'SELECT pg_reload_conf()')
    }

    // Kills the primary and promotes the standby. Services reach the standby before it accepts writes. Returns the time of the promotion.
    async failOver() {
        const { stand, standby } = this
        stand.expected.add('postgres')
        stand.postgresHeld = true
        stand.signalPostgres('SIGKILL')
        await stand.postgres.process.ended
        stand.leadProxiesTo(standby)
        await sleep(blind)
        await standby.sql('postgres', 'SELECT pg_promote()')
        const promoted = performance.now()
        Object.assign(stand, { former: stand.postgres, postgres: standby, postgresHeld: false })
        return promoted
    }

    // Stops the standby. The primary continues alone.
    async end() {
        await this.#set("synchronous_standby_names = ''")
        await this.standby.stop()
    }
}
