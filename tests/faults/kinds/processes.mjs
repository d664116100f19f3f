// Faults: killed and paused processes, and a full disk.
import { chosen, length, sleep, every } from '../stand.mjs'

// Returns, by name of service, the seconds from now until its /readyz answers 503, or Infinity if that takes more than `time` ms.
export async function watchReadiness(stand, time) {
    const begun = performance.now(), unready = new Map(chosen.map(({ name }) => [name, Infinity]))
    await Promise.all(chosen.map(async ({ name }) => {
        for (; performance.now() < begun + time; await sleep(50)) {
            if (await stand.readiness(name) !== 503) continue
            return void unready.set(name, (performance.now() - begun) / 1000)
        }
    }))
    return unready
}

export const processFaults = {
    'kill -9 of the service': {
        mayRepeat: true, // after a kill between a provider's response and the commit, the result is unknown
        async inflict({ stand }) {
            for (const { name } of chosen) stand.expected.add(name)
            for (const { name } of chosen) stand.kill(name)
        },
    },
    'kill -9 of PostgreSQL': {
        async inflict({ stand }) {
            stand.expected.add('postgres')
            stand.signalPostgres('SIGKILL')
        },
    },
    'kill -9 of Redis, restarted later': {
        async inflict({ stand }) {
            stand.expected.add('redis')
            stand.redisHeld = true
            stand.kill('redis')
            await sleep(length)
            stand.redisHeld = false
        },
    },
    'PostgreSQL paused 10 s': {
        async inflict({ stand, loads, name, report }) {
            const time = 10_000, paused = stand.postgresProcesses(), begun = performance.now()
            for (const pid of paused) process.kill(pid, 'SIGSTOP')
            const [unready] = await Promise.all([watchReadiness(stand, time), sleep(time)])
            const resumed = performance.now()
            for (const pid of paused) process.kill(pid, 'SIGCONT')
            for (const { service, figures } of loads) {
                const since = unready.get(service.name), refused = figures.refusedBetween(begun + 1000 * since, resumed)
                report.figure(name, service.name, 'seconds until /readyz is 503', since, 3, 6)
                report.atLeast(name, service.name, 'requests refused after that', refused.length, 5)
                report.figure(name, service.name, 'seconds of the slowest of these', Math.max(0, ...refused.map(({ took }) => took / 1000)), 0.5, 3)
            }
        },
    },
    'disk of the database full': {
        needs: 'smallDisk',
        async inflict({ stand }) {
            stand.expected.add('postgres')
            await every(200, length, () => stand.fillDisk())
            stand.emptyDisk()
        },
    },
}
