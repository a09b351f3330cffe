import { execFile } from 'node:child_process';
import { access, constants, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { LockFile } from '../../../scripts/lock-file.ts';
import { cacheFolder } from '../programs/cache-folder.ts';
import { withFileLock } from '../programs/file-lock.ts';
import type { Report } from '../programs/progress.ts';

const run = promisify(execFile);

/** A Chromium that starts on this machine. */
export interface ChromiumFiles {
  readonly program: string;
  /** Environment variables that its process needs in addition. */
  readonly env: Readonly<Record<string, string>>;
}

const { resolve } = createRequire(import.meta.url);

/** The npm package with Chromium for Linux on x64 and the libraries that a small machine lacks. */
const CARRIER = '@sparticuz/chromium';
/** The Chromium package has no font of fixed width, in which ids are shown. */
const FONT = '@expo-google-fonts/jetbrains-mono';
const FACES = ['400Regular/JetBrainsMono_400Regular.ttf', '700Bold/JetBrainsMono_700Bold.ttf'];
const LOCK_FILE = join(import.meta.dirname, '..', '..', '..', 'package-lock.json');
const ON_PATH = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const START_LIMIT_MS = 60_000;

/**
 * Finds a Chromium for the tests of the console: the one of an npm package, unpacked once per machine, or one on the
 * PATH. Throws an error that says why each way failed.
 */
export async function ensureChromium(
  report: Report = (line) => process.stderr.write(`${line}\n`),
): Promise<ChromiumFiles> {
  const failures: string[] = [];
  for (const obtain of [() => carried(report), onPath]) {
    try {
      return await obtain();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`There is no Chromium for the tests of the console.\n  ${failures.join('\n  ')}`);
}

async function carried(report: Report): Promise<ChromiumFiles> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${CARRIER} is for Linux on x64, and this is ${process.platform} on ${process.arch}`);
  const folder = join(cacheFolder('chromium'), await cacheKey());
  const files = filesIn(folder);
  if (!(await isThere(files.program))) {
    await mkdir(cacheFolder('chromium'), { recursive: true });
    await withFileLock(`${folder}.lock`, report, async () => {
      if (!(await isThere(files.program))) await unpack(folder);
    });
  }
  await starts(files);
  return files;
}

function filesIn(folder: string): ChromiumFiles {
  return {
    program: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

/** Unpacks beside the folder and moves it into place in one step, so that no process sees a part of it. */
async function unpack(folder: string): Promise<void> {
  const staging = `${folder}.tmp-${process.pid}`;
  try {
    await mkdir(staging, { recursive: true });
    // The package unpacks into TMPDIR. It unpacks its libraries only if it detects a small container.
    const env = { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    const script = `const { default: chromium } = await import('${CARRIER}'); await chromium.executablePath();`;
    await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: import.meta.dirname, env });
    for (const face of FACES)
      await copyFile(resolve(`${FONT}/${face}`), join(staging, 'fonts', basename(face)));
    await writeFile(join(staging, 'fonts.conf'), fontSettings(folder));
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Returns settings with these fonts only, so that a page looks the same on every machine. */
function fontSettings(folder: string): string {
  const prefer = (family: string, font: string): string =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  ${prefer('monospace', 'JetBrains Mono')}
  ${prefer('sans-serif', 'Open Sans')}
  ${prefer('system-ui', 'Open Sans')}
</fontconfig>
`;
}

async function onPath(): Promise<ChromiumFiles> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const program of folders.flatMap((folder) => ON_PATH.map((name) => join(folder, name)))) {
    const files = { program, env: {} };
    if (
      (await isThere(program)) &&
      (await starts(files).then(
        () => true,
        () => false,
      ))
    )
      return files;
  }
  throw new Error(`none of ${ON_PATH.join(', ')} on the PATH starts; Debian's package is called chromium`);
}

async function starts({ program, env }: ChromiumFiles): Promise<void> {
  await run(program, ['--version', '--no-sandbox'], {
    env: { ...process.env, ...env },
    timeout: START_LIMIT_MS,
  });
}

const isThere = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Returns a key that changes with each version of the unpacked files. */
async function cacheKey(): Promise<string> {
  const lockFile = JSON.parse(await readFile(LOCK_FILE, 'utf8')) as LockFile;
  return [CARRIER, FONT].map((name) => lockFile.packages[`node_modules/${name}`]?.version).join('-');
}
