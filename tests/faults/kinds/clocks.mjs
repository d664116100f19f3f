// A second replica of every service whose clock is wrong. Providers take their time, so that most jobs are under way.
import { chosen, length, second, sleep } from '../stand.mjs'

// The C library comes right after it, so that its allocator is used: jemalloc asks for the time before libfaketime is ready.
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1 libc.so.6 libstdc++.so.6'
const slow = 1000 // ms for an answer

function slowDown({ stand, loads, extra }, delay) {
    for (const provider of Object.values(stand.providers)) provider.delay = delay
    for (const load of [...loads, ...extra]) if (load.receiver) load.receiver.delay = delay
}

const offBy = (seconds, slug) => ({
    async prepare({ stand }) {
        // The clock of its timers stays right: only what it calls the time is wrong.
        await stand.startSecondReplicas({ LD_PRELOAD: library, FAKETIME: seconds, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' })
        return stand.makeLoads(20, chosen, slug, second)
    },
    async inflict(trial) {
        slowDown(trial, slow)
        await sleep(Math.max(length, 10_000))
        slowDown(trial, 0)
    },
    async restore({ stand, extra }) {
        await stand.stopSecondReplicas()
        for (const load of extra) load.admin.port = stand.ports[load.service.name]
    },
})

export const clockFaults = {
    'a second replica, its clock 60 s ahead': offBy('+60s', 'ahead'),
    'a second replica, its clock 60 s behind': offBy('-60s', 'behind'),
}
