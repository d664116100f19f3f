// Faults, one after the other, each while all services that were named are under load. Prints a row for each service and fault; ends
// with 1 when something that was acknowledged is lost, or something is there twice. The programs: --feedback=PATH ...; --quick, for
// the faults that show most; --small-disk where tmpfs can be mounted; --only=WORD for faults that have it in their name.
import { clockFaults } from './kinds/clocks.mjs'
import { endpointFaults } from './kinds/endpoints.mjs'
import { lockFaults } from './kinds/locks.mjs'
import { networkFaults } from './kinds/network.mjs'
import { processFaults } from './kinds/processes.mjs'
import { replicationFaults } from './kinds/replication.mjs'
import { Stand, on, options, say } from './stand.mjs'
import { Trials } from './trial.mjs'

const faults = { ...processFaults, ...networkFaults, ...replicationFaults, ...lockFaults, ...endpointFaults, ...clockFaults }
const quick = ['kill -9 of the service', 'connections to the database cut, over and over', 'failover to the standby']
const isChosen = name => options.quick ? quick.includes(name) : !options.only || name.includes(options.only)

await on(new Stand({ proxied: true, smallDisk: Boolean(options['small-disk']) }), async stand => {
    say('starting the services')
    await stand.start(await stand.openProviders())
    const trials = new Trials(stand, await stand.makeLoads(5))
    for (const [name, fault] of Object.entries(faults)) if (isChosen(name)) await trials.suffer(name, fault)
    return trials.judge()
})
