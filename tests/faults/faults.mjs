// Injects faults one after the other, with all named services under load. Prints a row for each service and fault. Ends with
// status 1 if an acknowledged write is lost, a write exists twice, or another check fails. Options:
//   --feedback=PATH ...  the services' programs
//   --quick              only the three faults that reveal the most
//   --small-disk         includes the full disk; needs permission to mount a tmpfs
//   --only=TEXT          only the faults whose name contains TEXT
import { clockFaults } from './kinds/clocks.mjs'
import { endpointFaults } from './kinds/endpoints.mjs'
import { lockFaults } from './kinds/locks.mjs'
import { networkFaults } from './kinds/network.mjs'
import { processFaults } from './kinds/processes.mjs'
import { replicationFaults } from './kinds/replication.mjs'
import { Stand, on, options, say } from './stand.mjs'
import { Trials } from './trial.mjs'

const faults = { ...processFaults, ...networkFaults, ...replicationFaults, ...lockFaults, ...endpointFaults, ...clockFaults }
const quick = ['kill -9 of the service', 'connections to the database cut repeatedly', 'failover to the standby']
const isChosen = name => options.quick ? quick.includes(name) : !options.only || name.includes(options.only)

await on(new Stand({ proxied: true, smallDisk: Boolean(options['small-disk']) }), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    const trials = new Trials(stand, await stand.makeLoads(5))
    for (const [name, fault] of Object.entries(faults)) if (isChosen(name)) await trials.suffer(name, fault)
    return trials.judge()
})
