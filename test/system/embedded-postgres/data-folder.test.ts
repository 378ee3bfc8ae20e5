import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError } from '../../../src/embedded-postgres/index.js'
import { EmbeddedBench } from '../../support/embedded.js'

let bench: EmbeddedBench
beforeAll(() => {
  bench = new EmbeddedBench()
})
afterEach(() => bench.releaseAll())
afterAll(() => bench.remove())

const FOLDERS: [string, () => string, RegExp][] = [
  ['a file', () => file(), /it is not a folder/],
  ['below a file', () => join(file(), 'data'), /lies below something that is none/],
  ['in /proc', () => '/proc/x', /no folder can be made there/],
  ['deep in /proc', () => '/proc/x/y/z', /no folder can be made there/],
  ['/proc itself', () => '/proc', /cannot be used/],
  ['a link to itself', () => loop(), /cannot be used/],
  ['too long a name', () => bench.folder('x'.repeat(300)), /its name is too long/],
]

function file(): string {
  writeFileSync(bench.folder('file'), '')
  return bench.folder('file')
}

function loop(): string {
  symlinkSync(bench.folder('loop'), bench.folder('loop'))
  return bench.folder('loop')
}

test.each(FOLDERS)('a data folder that is %s is refused by name', async (_, make, says) => {
  const path = make()
  const problem = bench.acquire(path)
  await expect(problem).rejects.toBeInstanceOf(DataFolderError)
  await expect(problem).rejects.toThrow(`The data folder ${path} cannot be used: `)
  await expect(problem).rejects.toThrow(says)
})

test('a data folder is made with the folders above it', async () => {
  const path = bench.folder(join('one', 'two', 'three'))
  await bench.acquire(path)
  expect(statSync(join(path, 'postgres')).isDirectory()).toBe(true)
})

const asRoot = process.getuid?.() === 0 ? test : test.skip

/** Mounts a file system of this size in memory and takes it away again. */
async function onSmallDisk(size: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = bench.folder(`disk-${size}`)
  mkdirSync(folder)
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
  try {
    await work(folder)
  } finally {
    spawnSync('umount', [folder])
  }
}

asRoot('a disk that is too small for a cluster is told of before one is begun', async () => {
  await onSmallDisk('30m', async (folder) => {
    const problem = bench.acquire(join(folder, 'data'))
    await expect(problem).rejects.toBeInstanceOf(DataFolderError)
    await expect(problem).rejects.toThrow(/is full: \d+ MiB are free, and the database needs \d+/)
  })
})

asRoot('a disk without any space left is told of', async () => {
  await onSmallDisk('64k', async (folder) => {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(65_536 - 4096))
    await expect(bench.acquire(join(folder, 'data'))).rejects.toThrow(/cannot be used: there is no space left/)
  })
})
