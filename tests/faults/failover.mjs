// Kills the primary of a Patroni cluster with a synchronous standby (deploy/patroni, deploy/haproxy-postgres.cfg) once in each round, while
// the services given in the options are under load. No acknowledged write may be lost, and no delivery may be repeated. Prints a row for
// each service and kill, and the duration of each failover. Options: --feedback=PATH ... (the program of each service), --rounds=N (5).
import { eventually } from '../upgrade/processes.mjs'
import { reportWrites } from './kinds/replication.mjs'
import { PatroniCluster } from './patroni.mjs'
import { Stand, on, options, say } from './stand.mjs'
import { Trials } from './trial.mjs'

// The processes of the leading node that are killed, in turn. A PostgreSQL without its Patroni stays a primary without replicas.
const kills = [
    ['the machine of the primary', node => node.kill()],
    ['PostgreSQL of the primary', node => node.killPostgres()],
    ['Patroni of the primary', node => node.killPatroni()],
]

const failover = kill => ({
    async inflict(trial) {
        const cluster = trial.stand.postgres, node = await cluster.primary()
        const other = cluster.nodes.find(each => each !== node), begun = performance.now()
        trial.killed = node
        kill(node)
        await eventually('the standby is promoted', () => other.takesWrites())
        const promoted = performance.now()
        trial.report.figure(trial.name, 'all', 'seconds from the kill to the promotion', (promoted - begun) / 1000, 30, 90)
        await reportWrites(trial, 'seconds from the promotion to a write', promoted)
    },
    async restore({ stand, killed }) {
        if (!killed.patroni.running) killed.start()
        await stand.postgres.ready()
    },
})

await on(new Stand({ openDatabase: stand => PatroniCluster.start(stand) }), async stand => {
    say('starting PostgreSQL under Patroni, and the services')
    await stand.start(await stand.openProviders())
    const trials = new Trials(stand, await stand.makeLoads(10))
    for (let round = 1; round <= Number(options.rounds ?? 5); round++) {
        const [what, kill] = kills[(round - 1) % kills.length]
        await trials.suffer(`${round}: kill -9 of ${what}`, failover(kill))
    }
    return trials.judge()
})
