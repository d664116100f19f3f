// A fault: webhook endpoints accept deliveries and do not respond.
import { eventually } from '../../upgrade/processes.mjs'
import { SilentEndpoint } from '../providers.mjs'
import { chosen, length, sleep } from '../stand.mjs'

// A sender has at most 1,536 deliveries in flight, and at most a quarter of them for one tenant (libs/outbound_webhooks/README.md). So all 500
// deliveries of 25 tenants, each to a different host, are in flight together. The deliveries of another tenant start without a wait.
const tenants = 25
const endpoints = 20 // per tenant, the maximum
const deliveries = tenants * endpoints
const enough = 0.95 * deliveries // deliveries that must hang at the same time; some may fail for other reasons
const attempt = 15_000 // ms until an attempt times out; then its endpoint counts as slow
const watched = Math.min(length, attempt / 3) // ms during which another tenant's webhooks are timed; shorter than one attempt
const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] ?? Infinity

const pathOf = service => `/${service.name}` // tells which service sent a delivery

// Adds a tenant whose webhooks all point to `silent`, each with a different host.
async function addTenant(stand, service, n, silent) {
    const [load] = await stand.makeLoads(0, [service], `silent-${n}`)
    await load.admin.send('DELETE', `/v1/webhooks/${load.webhookId}`, { token: load.key, expected: [200, 204] })
    load.silentWebhooks = []
    for (let i = 0; i < endpoints; i++) {
        const url = `http://127.9.${n}.${1 + i}:${silent.port}${pathOf(service)}`
        const events = { feedback: 'feedback.created', notify: 'notification.sent', billing: 'entitlement.changed' }[service.name]
        const { webhookId } = await load.admin.send('POST', '/v1/webhooks', { token: load.key, body: { url, events: [events] } })
        load.silentWebhooks.push(webhookId)
    }
    return load
}

// Returns, for each write acknowledged between two times, the seconds from its acknowledgement until its webhook arrived.
function delays({ announced, receiver }, from, to) {
    return announced.acknowledgedBetween(from, to).map(({ mark, at }) => Math.max(0, (receiver.heardAt.get(mark) ?? Infinity) - at) / 1000)
}

export const endpointFaults = {
    [`${deliveries} webhook endpoints hang`]: {
        async prepare(trial) {
            const { stand } = trial
            trial.silent = await new SilentEndpoint().open()
            trial.silentTenants = (await Promise.all(chosen.filter(({ name }) => name !== 'auth-mfa').map(async service => {
                const loads = []
                for (let n = 1; n <= tenants; n++) loads.push(await addTenant(stand, service, n, trial.silent))
                return loads
            }))).flat()
        },
        async inflict({ loads, name, report, silent, silentTenants }) {
            const told = loads.filter(load => load.receiver)
            const hanging = () => told.map(({ service }) => silent.waitingAt(pathOf(service)))
            await Promise.all(silentTenants.map(load => load.trigger()))
            await eventually('endpoints hang', () => hanging().every(n => n >= enough), attempt / 1000).catch(() => {})
            const atFirst = hanging(), from = performance.now()
            await sleep(watched)
            const atLast = hanging(), to = performance.now()
            await eventually('webhooks of others arrive', () => told.every(load => delays(load, from, to).every(isFinite)), 20).catch(() => {})
            for (const [i, load] of told.entries()) {
                const seen = delays(load, from, to), who = load.service.name
                report.atLeast(name, who, 'deliveries that hang before the measurement', atFirst[i], enough)
                report.atLeast(name, who, `deliveries that hang ${watched / 1000} s later`, atLast[i], enough, deliveries / 2)
                report.atLeast(name, who, 'events of another tenant', seen.length, 5)
                report.figure(name, who, 'seconds until its webhook arrives, median', percentile(seen, 0.5), 0.1, 2)
                report.figure(name, who, 'seconds until its webhook arrives, slowest', percentile(seen, 1), 1, 8)
            }
        },
        async restore({ silent, silentTenants }) {
            silent.release()
            for (const load of silentTenants) {
                for (const id of load.silentWebhooks) {
                    await load.admin.send('DELETE', `/v1/webhooks/${id}`, { token: load.key, expected: [200, 204] })
                }
            }
        },
    },
}
