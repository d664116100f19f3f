// The shared parts of server.mjs and worker.mjs: the database, and the queue in Redis.
import Redis from 'ioredis'
import pg from 'pg'
import { transact } from '../peer_parts.mjs'

export const queueName = 'push'
export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
export const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null })

export const scoped = (scope, work) =>
    transact(pool, { name: 'begin', text: "SELECT set_config('app.scopes', $1, true)", values: [String(scope)] }, work)
