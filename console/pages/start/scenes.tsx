import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { scenes } from './scenes.ts';

/** Milliseconds for which one is shown. */
const each = 7000;

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What a call to this service looks like, three times in turn, until somebody chooses one. */
export function Scenes() {
  const [at, setAt] = useState(0);
  const [plays, setPlays] = useState(() => !isStill());
  useEffect(() => {
    if (!plays) return;
    const timer = setInterval(() => setAt((now) => (now + 1) % scenes.length), each);
    return () => clearInterval(timer);
  }, [plays]);
  const choose = (title: string) => {
    setPlays(false);
    setAt(scenes.findIndex((scene) => scene.title === title));
  };
  const { title, call, status, heading, says, after } = scenes[at] ?? scenes[0];
  return (
    <div>
      <Tabs label="Examples" tabs={scenes.map((scene) => [scene.title, scene.title])} chosen={title} onChoose={choose}>
        <div class="card scene" key={title}>
          <pre class="wrapped">{call}</pre>
          <div>
            <p>
              <span class="badge mono warn">{status}</span> <strong>{heading}</strong>
            </p>
            <p>{says}</p>
          </div>
          <pre class="wrapped">
            {after.call}
            {'\n'}
            <span class="badge mono good">{after.status}</span> {after.says}
          </pre>
        </div>
      </Tabs>
      <p class="row ends small muted">
        Real answers: our tests compare them.
        {!isStill() && (
          <Button small onPress={() => setPlays(!plays)}>
            {plays ? 'Pause' : 'Play'}
          </Button>
        )}
      </p>
    </div>
  );
}
