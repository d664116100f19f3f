// Adds a second replica of every service with a wrong clock. Providers answer slowly, so that many jobs are in progress. For auth-mfa, the
// users of one tenant begin an action at one replica and finish it at the other.
import { execFileSync } from 'node:child_process'
import { eventually } from '../../upgrade/processes.mjs'
import { Crossing } from '../loads/crossing.mjs'
import { chosen, length, second, sleep } from '../stand.mjs'

// libc.so.6 comes directly after libfaketime, so that libc's allocator is used. jemalloc would read the clock before libfaketime is ready.
const libraries = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1 libc.so.6 libstdc++.so.6'
const slow = 1000 // ms until a provider responds

function slowDown({ stand, loads, extra }, delay) {
    for (const provider of Object.values(stand.providers)) provider.delay = delay
    for (const load of [...loads, ...extra]) if (load.receiver) load.receiver.delay = delay
}

// Loads of a tenant that uses both replicas, if auth-mfa was chosen. The replica whose clock is behind creates the tenant, because tokens
// that were issued more than 30 s before their tenant was created are refused.
async function crossingLoads(stand, seconds, slug) {
    const behind = seconds < 0 ? second : name => name
    const loads = await stand.makeLoads(20, chosen.filter(({ name }) => name === 'auth-mfa'), slug, behind)
    for (const load of loads) {
        const { name } = load.service
        load.crossing = new Crossing(load, [{ port: stand.ports[name], ahead: 0 }, { port: stand.ports[second(name)], ahead: seconds }])
    }
    return loads
}

// The LD_PRELOAD of a process with a wrong clock and correct timers.
function preloaded(stand) {
    const timers = `${stand.folder}/real_timers.so`
    execFileSync('clang-19', ['-shared', '-fPIC', '-O1', '-o', timers, new URL('../real_timers.c', import.meta.url).pathname])
    return `${timers} ${libraries}`
}

const hasCrossed = load => Object.values(load.crossing.figures).every(seen => seen > 0)

function reportAuth({ extra, name, report }) {
    for (const load of extra.filter(({ service }) => service.name === 'auth-mfa')) {
        const who = `auth-mfa, tenant ${load.host.split('.')[0]}`
        report.atLeast(name, who, 'enrolments', load.book.enrolled.length, 1)
        for (const [what, seen] of Object.entries(load.crossing?.figures ?? {})) report.atLeast(name, who, what, seen, 1)
    }
}

const offBy = (seconds, slug) => ({
    async prepare({ stand }) {
        // The monotonic clock, which timers use, stays correct. Only the time of day is wrong.
        await stand.startSecondReplicas(
            { LD_PRELOAD: preloaded(stand), FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' })
        const loads = await stand.makeLoads(20, chosen, slug, second)
        for (const load of loads) load.ahead = seconds
        return [...loads, ...await crossingLoads(stand, seconds, `${slug}-both`)]
    },
    async inflict(trial) {
        slowDown(trial, slow)
        await sleep(Math.max(length, 10_000))
        const crossing = trial.extra.filter(load => load.crossing)
        await eventually('users have used both replicas', () => crossing.every(hasCrossed)).catch(() => {})
        slowDown(trial, 0)
        reportAuth(trial)
    },
    async restore({ stand, extra }) {
        await stand.stopSecondReplicas()
        for (const load of extra) load.admin.port = stand.ports[load.service.name]
    },
})

export const clockFaults = {
    'a second replica, its clock 60 s ahead': offBy(60, 'ahead'),
    'a second replica, its clock 60 s behind': offBy(-60, 'behind'),
}
