// What is between a service and its database, and between it and whom it calls.
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
    'connections to the database cut, over and over': {
        needs: 'proxied',
        async inflict({ stand }) {
            await every(300, length, () => { for (const proxy of proxiesOf(stand)) proxy.cut() })
        },
    },
    'database not to be reached': {
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
    'connections to the database silent from now on': {
        needs: 'proxied',
        async inflict({ stand }) { for (const proxy of proxiesOf(stand)) proxy.hush() },
    },
    'providers not to be reached': {
        mayRepeat: true, // what they had taken when their connections were cut
        async inflict({ loads }) {
            await Promise.all(loads.map(load => load.closeProviders()))
            await sleep(length)
            await Promise.all(loads.map(load => load.openProviders()))
        },
    },
}
