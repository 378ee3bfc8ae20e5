import { randomBytes } from 'node:crypto'
import { chmod, mkdir, realpath, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DataFolderError } from './errors.js'
import { isRoot } from './runner.js'

// What a new cluster takes and a little to begin with; what one that is there needs to start and to write.
const NEW_CLUSTER_BYTES = 96 * 2 ** 20
const OLD_CLUSTER_BYTES = 24 * 2 ** 20

const REASONS: Record<string, string> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder, or lies below something that is none',
  ENOENT: 'no folder can be made there',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'there is no space left',
  EDQUOT: 'the quota of its owner is used up',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'it is a link that leads back to itself',
}

/** Makes the data folder if needed, sees that it can be written to, and returns its real path. */
export async function prepareDataDir(path: string): Promise<string> {
  const wanted = resolve(path)
  try {
    await makeFolder(wanted)
    const dataDir = await realpath(wanted)
    await tryWriting(dataDir)
    const { uid, mode } = await stat(dataDir)
    // Another account will own the cluster in it. Passing through gives nothing away: what is inside is closed by itself.
    if (isRoot() && uid === 0 && (mode & 0o011) !== 0o011) await chmod(dataDir, (mode & 0o7777) | 0o011)
    return dataDir
  } catch (error) {
    throw unusable(wanted, error)
  }
}

/** Throws DataFolderError when the file system has too little space for the cluster, which would break off in the middle. */
export async function requireSpace(folder: string, fresh: boolean): Promise<void> {
  const { bsize, bfree, bavail, blocks } = await statfs(folder)
  const free = (isRoot() ? bfree : bavail) * bsize
  const needed = fresh ? NEW_CLUSTER_BYTES : OLD_CLUSTER_BYTES
  if (blocks === 0 || free >= needed) return // some file systems do not tell
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20)
  throw new DataFolderError(
    `The file system of ${folder} is full: ${mebibytes(free)} MiB are free, and the database needs ${mebibytes(needed)}.`,
  )
}

/** Folder by folder, since Node's own recursive way never ends where the system makes none, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || (await isThere(dirname(path)))) throw error
    await makeFolder(dirname(path))
    await makeFolder(path)
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    ({ code }) => code !== 'ENOENT',
  )
}

/** Permissions say little: root has them all, and a full or read-only file system is another matter. */
async function tryWriting(folder: string): Promise<void> {
  const file = join(folder, `.try-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await writeFile(file, Buffer.alloc(8192), { mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
}

function unusable(path: string, error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof DataFolderError || code === '') return error
  return new DataFolderError(`The data folder ${path} cannot be used: ${REASONS[code] ?? message}.`, { cause: error })
}
