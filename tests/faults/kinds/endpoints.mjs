// Webhook endpoints that take a delivery and do not answer.
import { eventually } from '../../upgrade/processes.mjs'
import { SilentEndpoint } from '../providers.mjs'
import { chosen, length, sleep } from '../stand.mjs'

// A sender has 1,536 places for deliveries, of which a tenant that is alone gets a quarter (libs/webhooks/README.md). So 500 deliveries of
// 25 tenants, each to a host of its own, are all in flight at once, and the next tenant finds a place.
const tenants = 25
const endpoints = 20 // of each tenant, which is how many one may have
const deliveries = tenants * endpoints
const enough = 0.95 * deliveries // hang at once: a delivery may have failed otherwise
const attempt = 15_000 // ms that a delivery hangs; then its endpoint is slow, and has few places
const watched = Math.min(length, attempt / 3) // ms for which another tenant's webhooks are timed, within one attempt
const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] ?? Infinity

const pathOf = service => `/${service.name}` // tells whose delivery hangs

// A tenant of a service whose webhooks all lead to `silent`, each to a host of its own.
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

// How long it took, in seconds, from the acknowledgement of each write between two times until the webhook heard of it.
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
                report.atLeast(name, who, 'deliveries that hang before it is timed', atFirst[i], enough)
                report.atLeast(name, who, `deliveries that hang ${watched / 1000} s later`, atLast[i], enough, deliveries / 2)
                report.atLeast(name, who, "events of another tenant's", seen.length, 5)
                report.figure(name, who, 'seconds until its webhook, median', percentile(seen, 0.5), 0.1, 2)
                report.figure(name, who, 'seconds until its webhook, most', percentile(seen, 1), 1, 8)
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
