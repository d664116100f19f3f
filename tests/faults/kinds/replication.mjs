// Faults of a primary and its synchronous standby: an address that points to the standby, and failovers.
import { eventually } from '../../upgrade/processes.mjs'
import { Pair } from '../pair.mjs'
import { sleep } from '../stand.mjs'

const withPair = {
    needs: 'proxied',
    async prepare(trial) { trial.pair = await Pair.begin(trial.stand) },
}
const failover = {
    ...withPair,
    async inflict(trial) { await reportWrites(trial, 'seconds from the promotion to a write', await trial.pair.failOver()) },
}

// Waits until every service has acknowledged a write. Reports the time.
export async function reportWrites({ loads, name, report }, what, since) {
    await eventually('writes succeed', () => loads.every(({ figures }) => figures.answeredSince(since) > 0)).catch(() => {})
    for (const { service, figures } of loads) {
        const first = figures.answers.find(at => at > since) ?? Infinity
        report.figure(name, service.name, what, (first - since) / 1000, 5, 15)
    }
}

export const replicationFaults = {
    'the address points to a standby for 3 s': {
        ...withPair,
        async inflict(trial) {
            const { stand, pair } = trial
            stand.leadProxiesTo(pair.standby)
            stand.cutConnections()
            await sleep(3000)
            // Connections to the standby stay open.
            stand.leadProxiesTo(stand.postgres)
            await reportWrites(trial, 'seconds from the correct address to a write', performance.now())
        },
        async restore({ pair }) { await pair.end() },
    },
    'failover to the standby': failover,
    'failover back': failover, // to the former primary, which is now the standby
}
