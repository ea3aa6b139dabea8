import { useState } from 'preact/hooks';
import { chooseTheme, chosenTheme, themes } from '../state/theme.ts';

/** The choice of the theme, behind an icon. */
export function Theme() {
  const [chosen, setChosen] = useState(chosenTheme);
  const choose = (name: string) => {
    chooseTheme(name);
    setChosen(name);
  };
  return (
    <span class="theme icon icon-theme">
      <select aria-label="Colours" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {themes.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
