import { spawn } from 'node:child_process';

const KEPT_OUTPUT = 4_000;

/** The target of a build by the Go toolchain, and its output. */
export interface GoBuild {
  /** The folder of the module, with its go.mod and go.sum. */
  readonly module: string;
  readonly importPath: string;
  readonly linkerFlags: string;
  /** Build tags; default none. */
  readonly tags?: string;
  /** The path of the program. */
  readonly output: string;
}

/**
 * Builds a program with the Go toolchain on the PATH. The build ends with this process. Throws with the end of its
 * output.
 */
export function goBuild({ module, importPath, linkerFlags, tags = '', output }: GoBuild): Promise<void> {
  const args = ['build', '-mod=readonly', '-buildvcs=false', '-ldflags', linkerFlags, '-tags', tags];
  return new Promise((resolve, reject) => {
    const child = spawn('go', [...args, '-o', output, importPath], {
      cwd: module,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const stopWithUs = () => child.kill('SIGINT');
    process.once('exit', stopWithUs);
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => {
      told = (told + chunk.toString()).slice(-KEPT_OUTPUT);
    });
    child.once('error', (error) => {
      process.removeListener('exit', stopWithUs);
      reject(noGo(error));
    });
    child.once('close', (code, signal) => {
      process.removeListener('exit', stopWithUs);
      if (code === 0) resolve();
      else reject(new Error(`go build ${importPath} ended with ${code ?? signal}:\n${told.trim()}`));
    });
  });
}

function noGo(error: Error): Error {
  const missing = 'code' in error && error.code === 'ENOENT';
  return missing ? new Error('there is no go command on the PATH') : error;
}
