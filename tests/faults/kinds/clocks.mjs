// A second replica of every service whose clock is wrong. Providers take their time, so that most jobs are under way. Of auth-mfa a tenant
// asks both replicas: what its users begin at one they end at the other.
import { execFileSync } from 'node:child_process'
import { eventually } from '../../upgrade/processes.mjs'
import { Crossing } from '../loads/crossing.mjs'
import { chosen, length, second, sleep } from '../stand.mjs'

// The C library comes right after it, so that its allocator is used: jemalloc asks for the time before libfaketime is ready.
const libraries = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1 libc.so.6 libstdc++.so.6'
const slow = 1000 // ms for an answer

function slowDown({ stand, loads, extra }, delay) {
    for (const provider of Object.values(stand.providers)) provider.delay = delay
    for (const load of [...loads, ...extra]) if (load.receiver) load.receiver.delay = delay
}

// Loads of a tenant that asks both replicas, where auth-mfa was chosen. The replica that is behind creates it: a token that was issued more
// than 30 s before its tenant was created is refused.
async function crossingLoads(stand, seconds, slug) {
    const behind = seconds < 0 ? second : name => name
    const loads = await stand.makeLoads(20, chosen.filter(({ name }) => name === 'auth-mfa'), slug, behind)
    for (const load of loads) {
        const { name } = load.service
        load.crossing = new Crossing(load, [{ port: stand.ports[name], ahead: 0 }, { port: stand.ports[second(name)], ahead: seconds }])
    }
    return loads
}

// What a process preloads to have a wrong clock, and timers that are right.
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
        // The clock of its timers stays right: only what it calls the time is wrong.
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
        await eventually('users have gone from one replica to the other', () => crossing.every(hasCrossed)).catch(() => {})
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
