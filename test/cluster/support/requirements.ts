import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { postgresMissing } from '../../support/postgres.ts';

/* The foreign programs that the cluster tests need, where they are, and how to get what is missing. */

const kafkaProject = join(import.meta.dirname, '../kafka/pom.xml');
const kafkaVersion = /<kafka\.version>(.*?)</.exec(readFileSync(kafkaProject, 'utf8'))?.[1] ?? '';

export const programs = {
  redis: process.env.REDIS_SERVER || 'redis-server',
  kcat: process.env.KCAT || 'kcat',
  pgbouncer: process.env.PGBOUNCER || 'pgbouncer',
  java: process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin/java') : 'java',
  kafkaJars: process.env.KAFKA_JARS || join(homedir(), '.cache/l-plate', `kafka-${kafkaVersion}`),
};

/** One line for each program that is not there: what it is, and how to get it. */
export function missingPrograms(): string[] {
  const { redis, kcat, pgbouncer, java, kafkaJars } = programs;
  const jars = existsSync(join(kafkaJars, `kafka_2.13-${kafkaVersion}.jar`));
  const lines: (string | false)[] = [
    postgresMissing() && `NO POSTGRESQL for ${process.platform}-${process.arch} comes with the npm packages`,
    !runs(redis, '--version') && 'NO REDIS: apt-get install redis-server, or set REDIS_SERVER to the program',
    javaVersion(java) < 17 && 'NO JAVA 17, which Kafka needs: apt-get install default-jre-headless, or set JAVA_HOME',
    !jars && `NO KAFKA in ${kafkaJars}: mvn -B -q -f test/cluster/kafka package, or set KAFKA_JARS to its jar files`,
    !runs(kcat, '-V') && 'NO KCAT: apt-get install kcat, or set KCAT to the program',
    !runs(pgbouncer, '--version') && 'NO PGBOUNCER: apt-get install pgbouncer, or set PGBOUNCER to the program',
    !runs('openssl', 'version') && 'NO OPENSSL: apt-get install openssl',
  ];
  return lines.filter((line) => line !== false);
}

function runs(file: string, argument: string): boolean {
  return spawnSync(file, [argument]).status === 0;
}

function javaVersion(java: string): number {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
