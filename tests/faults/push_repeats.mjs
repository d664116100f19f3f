// Kills one of two replicas with kill -9 while it sends pushes to a carrier that takes 20 ms: first a broadcast, then direct pushes. Every
// device must get its push. At most 2 % of the pushes may be repeated. Ends with status 1 otherwise.
// Options: --notify=PATH, --devices=N (20,000 by default), --only=broadcast or --only=direct.
import { PushScene, soundDevice } from './push_scene.mjs'
import { Stand, head, on, options, row, say } from './stand.mjs'

const devices = Number(options.devices ?? 20_000)
const delay = 20 // ms
const streams = 100 // as FCM
const mostRepeated = 0.02
const seconds = 300

const cases = {
    broadcast: async scene => {
        const id = await scene.startBroadcast()
        return () => scene.completed(id, { seconds })
    },
    direct: async scene => {
        const sent = scene.pushToAll()
        return async () => {
            await sent
            await scene.delivered(seconds)
        }
    },
}

// Runs a case and returns the failures. If the killed replica had no push in flight, starts it again and repeats the case.
async function suffer(scene, name, attempts = 5) {
    const { fcm } = scene.carriers
    if (!scene.hasSecondReplica) await scene.stand.startSecondReplicas({})
    fcm.forget()
    say(`${name}: kill -9 after ${devices / 2} of ${devices} pushes`)
    const finish = await cases[name](scene)
    await fcm.reached(devices / 2)
    const interrupted = await scene.killSecondReplica()
    await finish()
    const lost = scene.lost().length, repeated = scene.repeated(), share = repeated / devices
    row(name, devices, interrupted, lost, repeated, `${(100 * share).toFixed(2)} %`)
    if (lost > 0) return [`${name}: ${lost} of ${devices} pushes are lost`]
    if (share > mostRepeated) return [`${name}: ${repeated} of ${devices} pushes are repeated; at most ${mostRepeated * devices} may be`]
    if (interrupted > 0) return []
    return attempts > 1 ? suffer(scene, name, attempts - 1) : [`${name}: the killed replica never had a push in flight`]
}

await on(new Stand(), async stand => {
    const scene = await PushScene.begin(stand, { streams, delay })
    say(`registering ${devices} devices`)
    await scene.registerDevices(devices, soundDevice)
    head('pushes', 'sent', 'in flight at the kill', 'lost', 'repeated', 'share')
    const wrong = []
    for (const name of Object.keys(cases).filter(name => !options.only || name === options.only)) wrong.push(...await suffer(scene, name))
    return wrong
})
