// Faults of the network between a service and its database, and between a service and its providers.
import { every, length, sleep } from '../stand.mjs'

const proxiesOf = stand => Object.values(stand.proxies)

export const networkFaults = {
    'database 100 ms away': {
        needs: 'proxied',
        async inflict({ stand }) {
            for (const proxy of proxiesOf(stand)) proxy.delay = 50
            await sleep(length)
            for (const proxy of proxiesOf(stand)) proxy.delay = 0
        },
    },
    'connections to the database cut repeatedly': {
        needs: 'proxied',
        async inflict({ stand }) {
            await every(300, length, () => { for (const proxy of proxiesOf(stand)) proxy.cut() })
        },
    },
    'database unreachable': {
        needs: 'proxied',
        async inflict({ stand }) {
            for (const proxy of proxiesOf(stand)) {
                proxy.refusing = true
                proxy.cut()
            }
            await sleep(length)
            for (const proxy of proxiesOf(stand)) proxy.refusing = false
        },
    },
    'connections to the database go silent': {
        needs: 'proxied',
        async inflict({ stand }) { for (const proxy of proxiesOf(stand)) proxy.hush() },
    },
    'providers unreachable': {
        mayRepeat: true, // a message that a provider had accepted when its connection was cut is sent again
        async inflict({ loads }) {
            await Promise.all(loads.map(load => load.closeProviders()))
            await sleep(length)
            await Promise.all(loads.map(load => load.openProviders()))
        },
    },
}
