// The shared parts of server.mjs and worker.mjs: the database, and the queue in Redis.
import Redis from 'ioredis'
import pg from 'pg'

export const queueName = 'push'
export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
export const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null })

// Runs `work` in one transaction with the row-level security setting, as the service does.
export async function scoped(scope, work) {
    const client = await pool.connect()
    try {
        await client.query('BEGIN')
        await client.query({ name: 'begin', text: "SELECT set_config('app.scopes', $1, true)", values: [String(scope)] })
        const result = await work(client)
        await client.query('COMMIT')
        return result
    } catch (error) {
        await client.query('ROLLBACK')
        throw error
    } finally {
        client.release()
    }
}
