<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name></name>
    <message>
        <source>Save a report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Pages (*.html)</source>
        <translation>Seiten (*.html)</translation>
    </message>
    <message>
        <source>The report was written to {path}.</source>
        <translation>Der Bericht wurde nach {path} geschrieben.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Save a copy</source>
        <translation>Kopie speichern</translation>
    </message>
    <message>
        <source>The project was copied to {path}.</source>
        <translation>Das Projekt wurde nach {path} kopiert.</translation>
    </message>
    <message>
        <source>Open the copy</source>
        <translation>Kopie öffnen</translation>
    </message>
    <message>
        <source>Folder for the records</source>
        <translation>Ordner für die Messdaten</translation>
    </message>
    <message>
        <source>{count} records were written to {folder}.</source>
        <translation>{count} Messdaten wurden nach {folder} geschrieben.</translation>
    </message>
    <message>
        <source>One record was written to {folder}.</source>
        <translation>Eine Messung wurde nach {folder} geschrieben.</translation>
    </message>
    <message>
        <source>Writing {path}…</source>
        <translation>{path} wird geschrieben…</translation>
    </message>
    <message>
        <source>Folder of tuning records</source>
        <translation>Ordner mit Messdaten</translation>
    </message>
    <message>
        <source>Were these records measured on the device of this project?</source>
        <translation>Wurden diese Daten auf dem Gerät dieses Projekts gemessen?</translation>
    </message>
    <message>
        <source>Times of another device are kept apart: they never mix with what is measured here.</source>
        <translation>Zeiten eines anderen Geräts bleiben für sich: Sie vermischen sich nie mit dem, was hier gemessen wird.</translation>
    </message>
    <message>
        <source>One more is in the details.</source>
        <translation>Eine weitere Meldung steht in den Einzelheiten.</translation>
    </message>
    <message>
        <source>{count} more are in the details.</source>
        <translation>{count} weitere Meldungen stehen in den Einzelheiten.</translation>
    </message>
    <message>
        <source>On this device</source>
        <translation>Auf diesem Gerät</translation>
    </message>
    <message>
        <source>“Check again” on Start</source>
        <translation>„Noch einmal prüfen“ auf Start</translation>
    </message>
    <message>
        <source>“Boards” on Devices</source>
        <translation>„Boards“ unter „Geräte“</translation>
    </message>
    <message>
        <source>“Devices”</source>
        <translation>„Geräte“</translation>
    </message>
    <message>
        <source>“Tasks”</source>
        <translation>„Aufgaben“</translation>
    </message>
    <message>
        <source>“Compare”</source>
        <translation>„Vergleich“</translation>
    </message>
    <message>
        <source>“Resume” or “Go on…”</source>
        <translation>„Fortsetzen“ oder „Weiter…“</translation>
    </message>
    <message>
        <source>“Stop”</source>
        <translation>„Stopp“</translation>
    </message>
    <message>
        <source>{value} for “{title}” in the settings on Start</source>
        <translation>{value} bei „{title}“ in den Einstellungen auf Start</translation>
    </message>
    <message>
        <source>{value} beside the model</source>
        <translation>{value} neben dem Modell</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>„{title}“</translation>
    </message>
    <message>
        <source>On another one</source>
        <translation>Auf einem anderen</translation>
    </message>
    <message>
        <source>{count} records are run {run} now.</source>
        <translation>{count} Messdaten sind jetzt Lauf {run}.</translation>
    </message>
    <message>
        <source>One record is run {run} now.</source>
        <translation>Eine Messung ist jetzt Lauf {run}.</translation>
    </message>
    <message>
        <source>{count} trials that had failed were not taken over.</source>
        <translation>{count} Versuche, die fehlgeschlagen waren, wurden nicht übernommen.</translation>
    </message>
    <message>
        <source>One trial that had failed was not taken over.</source>
        <translation>Ein Versuch, der fehlgeschlagen war, wurde nicht übernommen.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Reading the records in {folder}…</source>
        <translation>Die Messdaten in {folder} werden gelesen…</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>Pruner Studio</source>
        <translation>Pruner Studio</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>Was gezeichnet ist</translation>
    </message>
    <message>
        <source>Project file</source>
        <translation>Projektdatei</translation>
    </message>
    <message>
        <source>The window stays open: its engine is busy, and would have ended with it.</source>
        <translation>Das Fenster bleibt offen: Seine Engine ist beschäftigt und wäre mit ihm beendet worden.</translation>
    </message>
    <message>
        <source>Close it again in a moment.</source>
        <translation>Schließen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>Run {run} of {project} is paused.</source>
        <translation>Lauf {run} von {project} ist angehalten.</translation>
    </message>
    <message>
        <source>Open the project and press Go on.</source>
        <translation>Öffnen Sie das Projekt und drücken Sie Weiter.</translation>
    </message>
    <message>
        <source>Run {run} of {project} is being tuned.</source>
        <translation>Lauf {run} von {project} wird optimiert.</translation>
    </message>
    <message>
        <source>Open the project to watch and steer it.</source>
        <translation>Öffnen Sie das Projekt, um zuzusehen und zu steuern.</translation>
    </message>
    <message>
        <source>Run {run} of {project} was interrupted: its engine ended suddenly.</source>
        <translation>Lauf {run} von {project} wurde unterbrochen: Seine Engine endete plötzlich.</translation>
    </message>
    <message>
        <source>What it measured is kept. Open the project and press Resume to go on.</source>
        <translation>Was gemessen wurde, ist gesichert. Öffnen Sie das Projekt und drücken Sie Fortsetzen.</translation>
    </message>
    <message>
        <source>{path} is a folder.</source>
        <translation>{path} ist ein Ordner.</translation>
    </message>
    <message>
        <source>Choose the model or the project in it.</source>
        <translation>Wählen Sie das Modell oder das Projekt darin.</translation>
    </message>
    <message>
        <source>{path} lies in a folder that you may not look into.</source>
        <translation>{path} liegt in einem Ordner, in den Sie nicht sehen dürfen.</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>Es gibt keine Datei {path}.</translation>
    </message>
    <message>
        <source>Choose another one on the Start page.</source>
        <translation>Wählen Sie auf der Startseite eine andere.</translation>
    </message>
    <message>
        <source>{project} – Pruner Studio</source>
        <translation>{project} – Pruner Studio</translation>
    </message>
    <message>
        <source>Copied: {line}</source>
        <translation>Kopiert: {line}</translation>
    </message>
    <message>
        <source>{path} is not there any more.</source>
        <translation>{path} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>It was moved or removed: write it once more.</source>
        <translation>Es wurde verschoben oder entfernt: Schreiben Sie es noch einmal.</translation>
    </message>
    <message>
        <source>{path} could not be opened: this desktop names no program for it.</source>
        <translation>{path} ließ sich nicht öffnen: Diese Arbeitsumgebung nennt kein Programm dafür.</translation>
    </message>
    <message>
        <source>Open it in a program of your choice.</source>
        <translation>Öffnen Sie es in einem Programm Ihrer Wahl.</translation>
    </message>
    <message>
        <source>The model was exported to {folder}.</source>
        <translation>Das Modell wurde nach {folder} exportiert.</translation>
    </message>
    <message>
        <source>How fast it is, and whether its outputs are right, stands on the Export page.</source>
        <translation>Wie schnell es ist und ob seine Ausgaben stimmen, steht auf der Seite Export.</translation>
    </message>
    <message>
        <source>Another engine works on this project: wait until it has ended, or stop it.</source>
        <translation>Eine andere Engine arbeitet an diesem Projekt: Warten Sie, bis sie endet, oder stoppen Sie sie.</translation>
    </message>
    <message>
        <source>The job of this window and a measurement would disturb each other: measure when it has ended.</source>
        <translation>Der Auftrag dieses Fensters und eine Messung würden einander stören: Messen Sie, wenn er beendet ist.</translation>
    </message>
    <message>
        <source>About Pruner Studio</source>
        <translation>Über Pruner Studio</translation>
    </message>
    <message>
        <source>Pruner Studio {version}</source>
        <translation>Pruner Studio {version}</translation>
    </message>
    <message>
        <source>Tunes neural networks with Apache TVM by draft, then verify (Pruner, ASPLOS 2025). Apache License 2.0.</source>
        <translation>Optimiert neuronale Netze mit Apache TVM: erst entwerfen, dann prüfen (Pruner, ASPLOS 2025). Apache-Lizenz 2.0.</translation>
    </message>
    <message>
        <source>A model is being tuned. Keep tuning without the window?</source>
        <translation>Ein Modell wird optimiert. Ohne das Fenster weitermachen?</translation>
    </message>
    <message>
        <source>Open the project again to watch and steer it. Stopped, it can be resumed where it was left.</source>
        <translation>Öffnen Sie das Projekt wieder, um zuzusehen und zu steuern. Gestoppt lässt es sich dort fortsetzen, wo es war.</translation>
    </message>
    <message>
        <source>Keep tuning</source>
        <translation>Weiter optimieren</translation>
    </message>
    <message>
        <source>A model is being exported. Keep exporting without the window?</source>
        <translation>Ein Modell wird exportiert. Ohne das Fenster weiter exportieren?</translation>
    </message>
    <message>
        <source>The folder is written without the window too, and noted in the project. Stopped, export it again.</source>
        <translation>Der Ordner wird auch ohne das Fenster geschrieben und im Projekt vermerkt. Nach einem Abbruch lässt sich erneut exportieren.</translation>
    </message>
    <message>
        <source>Keep exporting</source>
        <translation>Weiter exportieren</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Stoppen und schließen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Clear this list</source>
        <translation>Diese Liste leeren</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New run</source>
        <translation>&amp;Neuer Lauf</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Open the &amp;demonstration</source>
        <translation>&amp;Vorführung öffnen</translation>
    </message>
    <message>
        <source>&amp;Add runs of another project…</source>
        <translation>&amp;Läufe eines anderen Projekts hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Export the tuned model…</source>
        <translation>Optimiertes Modell &amp;exportieren…</translation>
    </message>
    <message>
        <source>Save a re&amp;port…</source>
        <translation>Be&amp;richt speichern…</translation>
    </message>
    <message>
        <source>&amp;Tuning records</source>
        <translation>&amp;Messdaten</translation>
    </message>
    <message>
        <source>&amp;Export as MetaSchedule&apos;s JSON…</source>
        <translation>Als MetaSchedule-JSON &amp;exportieren…</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren…</translation>
    </message>
    <message>
        <source>Save a cop&amp;y…</source>
        <translation>&amp;Kopie speichern…</translation>
    </message>
    <message>
        <source>Show in its &amp;folder</source>
        <translation>In seinem &amp;Ordner zeigen</translation>
    </message>
    <message>
        <source>&amp;Close the project</source>
        <translation>Projekt &amp;schließen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>&amp;Ausschneiden</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>A&amp;lles auswählen</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>&amp;Suchen…</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>Weiters&amp;uchen</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>&amp;Zurücksuchen</translation>
    </message>
    <message>
        <source>Copy as co&amp;mmand</source>
        <translation>Als &amp;Befehl kopieren</translation>
    </message>
    <message>
        <source>Pr&amp;eferences…</source>
        <translation>Vorei&amp;nstellungen…</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;Pause or go on</source>
        <translation>An&amp;halten oder weiter</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stopp</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Go on with more trials…</source>
        <translation>Mit weiteren Versuchen weiter&amp;machen…</translation>
    </message>
    <message>
        <source>&amp;Duplicate with changes…</source>
        <translation>Mit Änderungen &amp;wiederholen…</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>&amp;Aktualisieren</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Explain what is &amp;here</source>
        <translation>&amp;Erklären, was hier steht</translation>
    </message>
    <message>
        <source>What all &amp;figures mean</source>
        <translation>Was alle &amp;Angaben bedeuten</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>Copy a &amp;report for the makers</source>
        <translation>Be&amp;richt für die Entwickler kopieren</translation>
    </message>
    <message>
        <source>&amp;About Pruner Studio</source>
        <translation>Ü&amp;ber Pruner Studio</translation>
    </message>
    <message>
        <source>adapted</source>
        <translation>angepasst</translation>
    </message>
    <message>
        <source>from scratch</source>
        <translation>von Grund auf</translation>
    </message>
    <message>
        <source>siamese alone</source>
        <translation>nur siamesisch</translation>
    </message>
    <message>
        <source>Pair accuracy</source>
        <translation>Paargenauigkeit</translation>
    </message>
    <message>
        <source>pairs in order</source>
        <translation>geordnete Paare</translation>
    </message>
    <message>
        <source>higher is better</source>
        <translation>höher ist besser</translation>
    </message>
    <message>
        <source>best over first choice</source>
        <translation>Bestes : erste Wahl</translation>
    </message>
    <message>
        <source>Top-1</source>
        <translation>Top-1</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>LambdaRank loss</source>
        <translation>LambdaRank-Verlust</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>niedriger ist besser</translation>
    </message>
    <message>
        <source>Distance of siamese and target</source>
        <translation>Abstand von siamesischem und Zielmodell</translation>
    </message>
    <message>
        <source>weight distance</source>
        <translation>Gewichtsabstand</translation>
    </message>
    <message>
        <source>how far it has adapted</source>
        <translation>wie weit es sich angepasst hat</translation>
    </message>
    <message>
        <source>Adaptation</source>
        <translation>Anpassung</translation>
    </message>
    <message>
        <source>Each adaptation is judged on measurements that are new to all models; curves are means over the last {count}.</source>
        <translation>Jede Anpassung wird an Messungen beurteilt, die allen Modellen neu sind; die Kurven sind Mittel der letzten {count}.</translation>
    </message>
    <message>
        <source>round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>No adaptation yet</source>
        <translation>Noch keine Anpassung</translation>
    </message>
    <message>
        <source>The model adapts after some rounds: its curves are shown here from then on.</source>
        <translation>Das Modell passt sich nach einigen Runden an; von da an stehen hier seine Kurven.</translation>
    </message>
    <message>
        <source>No adaptation in this run</source>
        <translation>Keine Anpassung in diesem Lauf</translation>
    </message>
    <message>
        <source>Choose the strategy MoA-Pruner on the Start page: its model is pre-trained and adapts here.</source>
        <translation>Wählen Sie auf der Startseite die Strategie MoA-Pruner: Ihr Modell ist vortrainiert und passt sich hier an.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>A run that is ticked is drawn, in the colour of its number: click on the box, or press Space.</source>
        <translation>Ein angehakter Lauf wird gezeichnet, in der Farbe seiner Nummer: auf das Kästchen klicken oder die Leertaste drücken.</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Worked</source>
        <translation>Gearbeitet</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Gewinn</translation>
    </message>
    <message>
        <source>Trials to goal</source>
        <translation>Versuche bis zum Ziel</translation>
    </message>
    <message>
        <source>Time to goal</source>
        <translation>Zeit bis zum Ziel</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Beschleunigung</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Runs of this model on one plot, and when each was as good as the stock search, or as a run of your choice.</source>
        <translation>Läufe dieses Modells in einem Bild, und wann jeder so gut war wie die Standardsuche oder wie ein Lauf nach Wahl.</translation>
    </message>
    <message>
        <source>Add runs…</source>
        <translation>Läufe hinzufügen…</translation>
    </message>
    <message>
        <source>Lay the runs of another project over these</source>
        <translation>Die Läufe eines anderen Projekts über diese legen</translation>
    </message>
    <message>
        <source>Estimated end-to-end latency</source>
        <translation>Geschätzte Gesamtlatenz</translation>
    </message>
    <message>
        <source>Tune this model again, or add the runs of another project.</source>
        <translation>Das Modell noch einmal optimieren oder die Läufe eines anderen Projekts hinzufügen.</translation>
    </message>
    <message>
        <source>of all tasks, whatever the filter</source>
        <translation>aller Aufgaben, was auch gefiltert ist</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagerechte Achse</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Runs compared</source>
        <translation>Läufe im Vergleich</translation>
    </message>
    <message>
        <source>working time</source>
        <translation>Arbeitszeit</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>The curve begins with the first round.</source>
        <translation>Die Kurve beginnt mit der ersten Runde.</translation>
    </message>
    <message>
        <source>No candidate could be measured; the Overview lists the failures.</source>
        <translation>Kein Kandidat ließ sich messen; die Übersicht nennt die Fehlschläge.</translation>
    </message>
    <message>
        <source>The run ended before its first round.</source>
        <translation>Der Lauf endete vor seiner ersten Runde.</translation>
    </message>
    <message>
        <source>Run that sets the goal</source>
        <translation>Lauf, der das Ziel setzt</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Time to quality</source>
        <translation>Zeit bis zur Güte</translation>
    </message>
    <message>
        <source>Nothing to compare yet</source>
        <translation>Noch nichts zu vergleichen</translation>
    </message>
    <message>
        <source>Tune a model or open a project: its runs and those of other projects are laid over each other.</source>
        <translation>Optimieren Sie ein Modell oder öffnen Sie ein Projekt: seine Läufe und die anderer Projekte liegen hier übereinander.</translation>
    </message>
    <message>
        <source>Latencies that were measured with other caches do not compare: look at curves of one kind only.</source>
        <translation>Latenzen, die mit anderen Caches gemessen wurden, lassen sich nicht vergleichen: nur Kurven einer Art ansehen.</translation>
    </message>
    <message>
        <source>There is no other run yet: tune this model again, or add runs of another project.</source>
        <translation>Es gibt noch keinen anderen Lauf: Optimieren Sie dieses Modell noch einmal, oder fügen Sie Läufe eines anderen Projekts hinzu.</translation>
    </message>
    <message>
        <source>Goal: {latency}, where run {run} ({strategy}) ended.</source>
        <translation>Ziel: {latency}, wo Lauf {run} ({strategy}) endete.</translation>
    </message>
    <message>
        <source>Goal: {latency}, where run {run} ({strategy}) is so far.</source>
        <translation>Ziel: {latency}, wo Lauf {run} ({strategy}) bisher steht.</translation>
    </message>
    <message>
        <source>Enter opens one, Space draws or hides it.</source>
        <translation>Die Eingabetaste öffnet einen, die Leertaste zeichnet oder verbirgt ihn.</translation>
    </message>
    <message>
        <source>Runs of another project</source>
        <translation>Läufe eines anderen Projekts</translation>
    </message>
    <message>
        <source>With {projects}</source>
        <translation>Mit {projects}</translation>
    </message>
    <message>
        <source>Show only the runs of this project again</source>
        <translation>Wieder nur die Läufe dieses Projekts zeigen</translation>
    </message>
    <message>
        <source>Goal of the stock search</source>
        <translation>Ziel der Standardsuche</translation>
    </message>
    <message>
        <source>Goal of the shown run</source>
        <translation>Ziel des gezeigten Laufs</translation>
    </message>
    <message>
        <source>trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>This machine as detected, the measured profiles of the devices in this project, and boards.</source>
        <translation>Dieser Rechner wie erkannt, die gemessenen Profile der Geräte dieses Projekts, und Boards.</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>profile in this project · {fingerprint}</source>
        <translation>Profil in diesem Projekt · {fingerprint}</translation>
    </message>
    <message>
        <source>Calibration of the draft: {factors}</source>
        <translation>Kalibrierung des Entwurfs: {factors}</translation>
    </message>
    <message>
        <source>none needed</source>
        <translation>keine nötig</translation>
    </message>
    <message>
        <source>architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>Takt</translation>
    </message>
    <message>
        <source>peak, all cores</source>
        <translation>Spitze, alle Kerne</translation>
    </message>
    <message>
        <source>peak, one core</source>
        <translation>Spitze, ein Kern</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>Speicherbandbreite</translation>
    </message>
    <message>
        <source>peak of the matrix units</source>
        <translation>Spitze der Matrixeinheiten</translation>
    </message>
    <message>
        <source>memory bandwidth, one core</source>
        <translation>Speicherbandbreite, ein Kern</translation>
    </message>
    <message>
        <source>start of all threads</source>
        <translation>Start aller Threads</translation>
    </message>
    <message>
        <source>vector width</source>
        <translation>Vektorbreite</translation>
    </message>
    <message>
        <source>figures are</source>
        <translation>Werte sind</translation>
    </message>
    <message>
        <source>{count:g} bits</source>
        <translation>{count:g} Bit</translation>
    </message>
    <message>
        <source>{cache} at {speed}</source>
        <translation>{cache} mit {speed}</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablaufplan</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Share of time</source>
        <translation>Zeitanteil</translation>
    </message>
    <message>
        <source>the compiled model</source>
        <translation>das übersetzte Modell</translation>
    </message>
    <message>
        <source>its weights</source>
        <translation>seine Gewichte</translation>
    </message>
    <message>
        <source>how to use all this</source>
        <translation>wie man all das verwendet</translation>
    </message>
    <message>
        <source>of TVM</source>
        <translation>von TVM</translation>
    </message>
    <message>
        <source>applied</source>
        <translation>angewandt</translation>
    </message>
    <message>
        <source>fallback</source>
        <translation>Ersatz</translation>
    </message>
    <message>
        <source>not tunable</source>
        <translation>nicht optimierbar</translation>
    </message>
    <message>
        <source>Measured on {device}.</source>
        <translation>Gemessen auf {device}.</translation>
    </message>
    <message>
        <source>Not measured. {reason}</source>
        <translation>Nicht gemessen. {reason}</translation>
    </message>
    <message>
        <source>Nothing here runs the library: compare its outputs on the device before using it.</source>
        <translation>Hier läuft die Bibliothek nirgends: Vergleichen Sie ihre Ausgaben auf dem Gerät, bevor Sie sie einsetzen.</translation>
    </message>
    <message>
        <source>What is drafted no trial has reached: it has the draft&apos;s best schedule, which nobody has measured.</source>
        <translation>Was entworfen ist, hat kein Versuch erreicht: Es hat den besten Ablaufplan des Entwurfs, den niemand gemessen hat.</translation>
    </message>
    <message>
        <source>Their times are those that tuning measured: the library was not profiled.</source>
        <translation>Ihre Zeiten sind die beim Optimieren gemessenen: Die Bibliothek wurde nicht Kernel für Kernel gemessen.</translation>
    </message>
    <message>
        <source>What is there was not exported from this project.</source>
        <translation>Was dort liegt, wurde nicht aus diesem Projekt exportiert.</translation>
    </message>
    <message>
        <source>This project&apos;s last export to it was of run {run}: {moment}.</source>
        <translation>Der letzte Export dieses Projekts dorthin war der von Lauf {run}: {moment}.</translation>
    </message>
    <message>
        <source>An inference took {latency}.</source>
        <translation>Eine Inferenz dauerte {latency}.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Compiles the model with the best schedules, checks its outputs, writes a folder that runs without a compiler.</source>
        <translation>Übersetzt das Modell mit den besten Ablaufplänen, prüft seine Ausgaben und schreibt einen Ordner, der ohne Compiler läuft.</translation>
    </message>
    <message>
        <source>New export</source>
        <translation>Neuer Export</translation>
    </message>
    <message>
        <source>Output folder</source>
        <translation>Zielordner</translation>
    </message>
    <message>
        <source>Folder to write</source>
        <translation>Ordner, der geschrieben wird</translation>
    </message>
    <message>
        <source>Schedules of</source>
        <translation>Ablaufpläne von</translation>
    </message>
    <message>
        <source>Best of all runs</source>
        <translation>Bestes aller Läufe</translation>
    </message>
    <message>
        <source>Best of this run</source>
        <translation>Bestes dieses Laufs</translation>
    </message>
    <message>
        <source>Weights beside the library</source>
        <translation>Gewichte neben der Bibliothek</translation>
    </message>
    <message>
        <source>In a file of their own (safetensors), in place of the library; more than 512 MB always are</source>
        <translation>In einer eigenen Datei (safetensors) anstelle der Bibliothek; mehr als 512 MB sind es immer</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Nothing exported yet</source>
        <translation>Noch nichts exportiert</translation>
    </message>
    <message>
        <source>Latency of the exported model and of the libraries</source>
        <translation>Latenz des exportierten Modells und der Bibliotheken</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>The line that runs it</source>
        <translation>Die Zeile, die es ausführt</translation>
    </message>
    <message>
        <source>its inputs, outputs, checks</source>
        <translation>Ein- und Ausgaben, Prüfungen</translation>
    </message>
    <message>
        <source>runs it from Python</source>
        <translation>führt es aus Python aus</translation>
    </message>
    <message>
        <source>runs it from C++</source>
        <translation>führt es aus C++ aus</translation>
    </message>
    <message>
        <source>what it needs of TVM</source>
        <translation>was es von TVM braucht</translation>
    </message>
    <message>
        <source>the schedules, for TVM</source>
        <translation>die Ablaufpläne, für TVM</translation>
    </message>
    <message>
        <source>not checked</source>
        <translation>nicht geprüft</translation>
    </message>
    <message>
        <source>Run and time it:</source>
        <translation>Ausführen und messen:</translation>
    </message>
    <message>
        <source>Run and time it on the device, in a copy of the folder:</source>
        <translation>Auf dem Gerät ausführen und messen, in einer Kopie des Ordners:</translation>
    </message>
    <message>
        <source>Copy the line that runs and times it</source>
        <translation>Die Zeile kopieren, die es ausführt und misst</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Abdeckung</translation>
    </message>
    <message>
        <source>Enter on a row opens its task</source>
        <translation>die Eingabetaste öffnet die Aufgabe einer Zeile</translation>
    </message>
    <message>
        <source>Functions of the library</source>
        <translation>Funktionen der Bibliothek</translation>
    </message>
    <message>
        <source>No function of the library passes the filter: take it away to see all.</source>
        <translation>Keine Funktion der Bibliothek entspricht dem Filter: ohne ihn sind alle zu sehen.</translation>
    </message>
    <message>
        <source>What was exported</source>
        <translation>Was exportiert wurde</translation>
    </message>
    <message>
        <source>Folder for the export</source>
        <translation>Ordner für den Export</translation>
    </message>
    <message>
        <source>Write {name}</source>
        <translation>{name} schreiben</translation>
    </message>
    <message>
        <source>Replace it</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Replace the export in {folder}?</source>
        <translation>Den Export in {folder} ersetzen?</translation>
    </message>
    <message>
        <source>Export all the same</source>
        <translation>Trotzdem exportieren</translation>
    </message>
    <message>
        <source>You were asked, and nothing was exported.</source>
        <translation>Auf die Nachfrage hin wurde nichts exportiert.</translation>
    </message>
    <message>
        <source>Exporting: {phase}</source>
        <translation>Export: {phase}</translation>
    </message>
    <message>
        <source>There is nothing to export before a candidate was measured.</source>
        <translation>Es gibt nichts zu exportieren, bevor ein Kandidat gemessen wurde.</translation>
    </message>
    <message>
        <source>A job is running: export when it has ended.</source>
        <translation>Ein Auftrag läuft: Exportieren Sie, wenn er beendet ist.</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Es wird exportiert</translation>
    </message>
    <message>
        <source>After an export: what was written, whether its outputs are right, how fast it is beside the libraries.</source>
        <translation>Nach einem Export: was geschrieben wurde, ob die Ausgaben stimmen, wie schnell es neben den Bibliotheken ist.</translation>
    </message>
    <message>
        <source>Last export of this model: {run}, {moment}</source>
        <translation>Letzter Export dieses Modells: {run}, {moment}</translation>
    </message>
    <message>
        <source>{count} {state} ({share} of the time)</source>
        <translation>{count} {state} ({share} der Zeit)</translation>
    </message>
    <message>
        <source>Functions with a tuned schedule and without: {parts}.</source>
        <translation>Funktionen mit und ohne optimierten Ablaufplan: {parts}.</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>differ</source>
        <translation>verschieden</translation>
    </message>
    <message>
        <source>Against {name}: equal within the tolerance of {tolerance}</source>
        <translation>Gegen {name}: gleich innerhalb der Toleranz von {tolerance}</translation>
    </message>
    <message>
        <source>Against {name}: differs by more than the tolerance of {tolerance}</source>
        <translation>Gegen {name}: weicht um mehr als die Toleranz von {tolerance} ab</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>No run to show</source>
        <translation>Kein Lauf zu zeigen</translation>
    </message>
    <message>
        <source>Tune a model on the Start page, or open a project: its progress is shown here, live and afterwards.</source>
        <translation>Optimieren Sie auf der Startseite ein Modell oder öffnen Sie ein Projekt: Sein Fortgang steht hier, jetzt und später.</translation>
    </message>
    <message>
        <source>This project holds no run yet: tune a model on the Start page, or open another project.</source>
        <translation>Dieses Projekt enthält noch keinen Lauf: Optimieren Sie auf der Startseite ein Modell oder öffnen Sie ein anderes Projekt.</translation>
    </message>
    <message>
        <source>Go to Start</source>
        <translation>Zur Startseite</translation>
    </message>
    <message>
        <source>This run ended before its first round. Resume, in the bar on top, goes on with it.</source>
        <translation>Dieser Lauf endete vor seiner ersten Runde. Fortsetzen, oben in der Leiste, führt ihn weiter.</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Untuned</source>
        <translation>Unoptimiert</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Latency over the run</source>
        <translation>Latenz über den Lauf</translation>
    </message>
    <message>
        <source>Where the time went</source>
        <translation>Wo die Zeit blieb</translation>
    </message>
    <message>
        <source>Share of time per stage</source>
        <translation>Zeitanteil je Schritt</translation>
    </message>
    <message>
        <source>Failures</source>
        <translation>Fehlschläge</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Older messages</source>
        <translation>Ältere Meldungen</translation>
    </message>
    <message>
        <source>One older message</source>
        <translation>Eine ältere Meldung</translation>
    </message>
    <message>
        <source>Hide older messages</source>
        <translation>Ältere Meldungen verbergen</translation>
    </message>
    <message>
        <source>{count} older messages</source>
        <translation>{count} ältere Meldungen</translation>
    </message>
    <message>
        <source>Measured latency</source>
        <translation>Gemessene Latenz</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>{model} on {device} · {strategy} · seed {seed}</source>
        <translation>{model} auf {device} · {strategy} · Startwert {seed}</translation>
    </message>
    <message>
        <source>The model is read, its kernels are found and the libraries are timed. Then the first round begins.</source>
        <translation>Das Modell wird gelesen, seine Kernel werden gefunden und die Bibliotheken gemessen. Dann beginnt die erste Runde.</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Vorbereitung</translation>
    </message>
    <message>
        <source>Tune a model on the Start page, or open a project.</source>
        <translation>Optimieren Sie auf der Startseite ein Modell oder öffnen Sie ein Projekt.</translation>
    </message>
    <message>
        <source>{gain} over untuned</source>
        <translation>{gain} Gewinn</translation>
    </message>
    <message>
        <source>sum over kernels</source>
        <translation>Summe der Kernel</translation>
    </message>
    <message>
        <source>Facts of the run</source>
        <translation>Angaben zum Lauf</translation>
    </message>
    <message>
        <source>timed beside other programs</source>
        <translation>neben anderen Programmen gemessen</translation>
    </message>
    <message>
        <source>{count} failed</source>
        <translation>{count} fehlgeschlagen</translation>
    </message>
    <message>
        <source>since {moment}</source>
        <translation>seit {moment}</translation>
    </message>
    <message>
        <source>How fast the model is now, against what, and how the run got there.</source>
        <translation>Wie schnell das Modell jetzt ist, im Vergleich wozu, und wie der Lauf dahin kam.</translation>
    </message>
    <message>
        <source>the engine&apos;s estimate</source>
        <translation>Schätzung der Engine</translation>
    </message>
    <message>
        <source>an export measures it</source>
        <translation>ein Export misst sie</translation>
    </message>
    <message>
        <source>exported {moment}</source>
        <translation>exportiert {moment}</translation>
    </message>
    <message>
        <source>before the latest trials</source>
        <translation>vor den letzten Versuchen</translation>
    </message>
    <message>
        <source>Inputs: {shapes}</source>
        <translation>Eingaben: {shapes}</translation>
    </message>
    <message>
        <source>Versions: {versions}</source>
        <translation>Versionen: {versions}</translation>
    </message>
    <message>
        <source>Ended: {reason}</source>
        <translation>Beendet: {reason}</translation>
    </message>
    <message>
        <source>{untried} of {tasks} tasks untried</source>
        <translation>{untried} von {tasks} Aufgaben unversucht</translation>
    </message>
    <message>
        <source>{ratio} slower in turns with it</source>
        <translation>{ratio} langsamer im Wechsel damit</translation>
    </message>
    <message>
        <source>{ratio} faster in turns with it</source>
        <translation>{ratio} schneller im Wechsel damit</translation>
    </message>
    <message>
        <source>as fast as measured</source>
        <translation>so schnell wie gemessen</translation>
    </message>
    <message>
        <source>as fast as the estimate</source>
        <translation>so schnell wie die Schätzung</translation>
    </message>
    <message>
        <source>{ratio} slower than measured</source>
        <translation>{ratio} langsamer als gemessen</translation>
    </message>
    <message>
        <source>{ratio} slower than the estimate</source>
        <translation>{ratio} langsamer als die Schätzung</translation>
    </message>
    <message>
        <source>{ratio} faster than measured</source>
        <translation>{ratio} schneller als gemessen</translation>
    </message>
    <message>
        <source>{ratio} faster than the estimate</source>
        <translation>{ratio} schneller als die Schätzung</translation>
    </message>
    <message>
        <source>did not compile</source>
        <translation>ließ sich nicht übersetzen</translation>
    </message>
    <message>
        <source>did not load</source>
        <translation>ließ sich nicht laden</translation>
    </message>
    <message>
        <source>failed while running</source>
        <translation>scheiterte beim Laufen</translation>
    </message>
    <message>
        <source>wrong outputs</source>
        <translation>falsche Ausgaben</translation>
    </message>
    <message>
        <source>took too long</source>
        <translation>dauerte zu lange</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>stürzte ab</translation>
    </message>
    <message>
        <source>used too much memory</source>
        <translation>brauchte zu viel Speicher</translation>
    </message>
    <message>
        <source>None of these tasks.</source>
        <translation>Keiner dieser Aufgaben.</translation>
    </message>
    <message>
        <source>{share} of trials</source>
        <translation>{share} der Versuche</translation>
    </message>
    <message>
        <source>Look at the first</source>
        <translation>Den ersten ansehen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Choose a model, say where it shall run, and tune its kernels on this machine.</source>
        <translation>Wählen Sie ein Modell, sagen Sie, wo es laufen soll, und optimieren Sie seine Kernel auf diesem Rechner.</translation>
    </message>
    <message>
        <source>or a built-in workload</source>
        <translation>oder eine eingebaute Rechnung</translation>
    </message>
    <message>
        <source>Built-in workload</source>
        <translation>Eingebaute Rechnung</translation>
    </message>
    <message>
        <source>matmul:512,512,512</source>
        <translation>matmul:512,512,512</translation>
    </message>
    <message>
        <source>Consent to run the code of a TVMScript model</source>
        <translation>Zustimmung, den Code eines TVMScript-Modells auszuführen</translation>
    </message>
    <message>
        <source>Pre-flight</source>
        <translation>Vorprüfung</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>prüft</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Noch einmal prüfen</translation>
    </message>
    <message>
        <source>This machine is being checked.</source>
        <translation>Dieser Rechner wird gerade geprüft.</translation>
    </message>
    <message>
        <source>A job is running: the checks would disturb what it measures.</source>
        <translation>Ein Auftrag läuft: Die Prüfungen würden stören, was er misst.</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Optimieren</translation>
    </message>
    <message>
        <source>Choose a model or a project</source>
        <translation>Modell oder Projekt wählen</translation>
    </message>
    <message>
        <source>Models and projects ({patterns});;All files (*)</source>
        <translation>Modelle und Projekte ({patterns});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Run this file</source>
        <translation>Diese Datei ausführen</translation>
    </message>
    <message>
        <source>A TVMScript model is Python code: open only what you trust.</source>
        <translation>Ein TVMScript-Modell ist Python-Code: Öffnen Sie nur, was vertrauenswürdig ist.</translation>
    </message>
    <message>
        <source>Tick below to look at it.</source>
        <translation>Setzen Sie unten den Haken, um es anzusehen.</translation>
    </message>
    <message>
        <source>Looking at the model…</source>
        <translation>Das Modell wird angesehen…</translation>
    </message>
    <message>
        <source>or a sample</source>
        <translation>oder ein Beispiel</translation>
    </message>
    <message>
        <source>Sample model {name}</source>
        <translation>Beispielmodell {name}</translation>
    </message>
    <message>
        <source>Choose a model to begin.</source>
        <translation>Wählen Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>The model is being taken from the project.</source>
        <translation>Das Modell wird gerade aus dem Projekt geholt.</translation>
    </message>
    <message>
        <source>The folder {folder} cannot be made: {reason}.</source>
        <translation>Der Ordner {folder} lässt sich nicht anlegen: {reason}.</translation>
    </message>
    <message>
        <source>Choose another place for the project file.</source>
        <translation>Wählen Sie einen anderen Ort für die Projektdatei.</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>not ready</source>
        <translation>nicht bereit</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>The demonstration could not be copied to {place}: {why}.</source>
        <translation>Die Vorführung konnte nicht nach {place} kopiert werden: {why}.</translation>
    </message>
    <message>
        <source>Make room there, or choose another folder under Edit › Preferences.</source>
        <translation>Schaffen Sie dort Platz, oder wählen Sie unter Bearbeiten › Voreinstellungen einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{path} is the open project itself.</source>
        <translation>{path} ist das offene Projekt selbst.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>An engine is writing {path} now.</source>
        <translation>Eine Engine schreibt gerade {path}.</translation>
    </message>
    <message>
        <source>What was measured is in its project file. Copy the report and send it to the makers.</source>
        <translation>Was gemessen wurde, steht in seiner Projektdatei. Kopieren Sie den Bericht und schicken Sie ihn den Entwicklern.</translation>
    </message>
    <message>
        <source>The last window ended suddenly.</source>
        <translation>Das letzte Fenster endete plötzlich.</translation>
    </message>
    <message>
        <source>No log of this window can be written: {why}.</source>
        <translation>Das Protokoll dieses Fensters lässt sich nicht schreiben: {why}.</translation>
    </message>
    <message>
        <source>A crash of it would not be told at the next start. Make {place} writable.</source>
        <translation>Ein Absturz würde beim nächsten Start nicht gemeldet. Machen Sie {place} beschreibbar.</translation>
    </message>
    <message>
        <source>Copy the report and send it to the makers; what was measured is kept.</source>
        <translation>Kopieren Sie den Bericht und schicken Sie ihn den Entwicklern; was gemessen wurde, ist gesichert.</translation>
    </message>
    <message>
        <source>The window met an error of its own: {kind}.</source>
        <translation>Das Fenster hatte einen eigenen Fehler: {kind}.</translation>
    </message>
    <message>
        <source>answers after {time}</source>
        <translation>antwortet nach {time}</translation>
    </message>
    <message>
        <source>accepts, but is at work or hangs</source>
        <translation>nimmt an, ist aber bei der Arbeit oder hängt</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>silent for {time}</source>
        <translation>still seit {time}</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>What `pruner tune --key` asks for</source>
        <translation>Wonach `pruner tune --key` fragt</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Sign of life</source>
        <translation>Lebenszeichen</translation>
    </message>
    <message>
        <source>Boards</source>
        <translation>Boards</translation>
    </message>
    <message>
        <source>registered at a tracker of TVM&apos;s RPC</source>
        <translation>bei einem RPC-Tracker von TVM gemeldet</translation>
    </message>
    <message>
        <source>Address of the tracker</source>
        <translation>Adresse des Trackers</translation>
    </message>
    <message>
        <source>Tracker</source>
        <translation>Tracker</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Nachsehen</translation>
    </message>
    <message>
        <source>Give the address of a tracker to see its boards.</source>
        <translation>Die Adresse eines Trackers angeben, um seine Boards zu sehen.</translation>
    </message>
    <message>
        <source>{well} of {all} answer</source>
        <translation>{well} von {all} antworten</translation>
    </message>
    <message>
        <source>The tracker has no board yet. Start a server on one with --tracker.</source>
        <translation>Der Tracker hat noch kein Board. Starten Sie auf einem den Server mit --tracker.</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>Kernels can be measured on other machines: `pruner tune --rpc HOST:PORT --key KEY`.</source>
        <translation>Kernel lassen sich auf anderen Rechnern messen: `pruner tune --rpc HOST:PORT --key KEY`.</translation>
    </message>
    <message>
        <source>Pre-flight checks</source>
        <translation>Vorprüfungen</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>Drop a model here</source>
        <translation>Legen Sie hier ein Modell ab</translation>
    </message>
    <message>
        <source>ONNX (.onnx), torch.export (.pt2), TensorFlow Lite (.tflite), TVMScript (.py), or a project (.pruner)</source>
        <translation>ONNX (.onnx), torch.export (.pt2), TensorFlow Lite (.tflite), TVMScript (.py) oder ein Projekt (.pruner)</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>What the figures mean</source>
        <translation>Was die Zahlen bedeuten</translation>
    </message>
    <message>
        <source>Explained is</source>
        <translation>Erklärt wird</translation>
    </message>
    <message>
        <source>Where you were</source>
        <translation>Diese Stelle</translation>
    </message>
    <message>
        <source>This page</source>
        <translation>Diese Seite</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Search names, meanings and formulas</source>
        <translation>Namen, Bedeutungen und Formeln durchsuchen</translation>
    </message>
    <message>
        <source>Search the explanations</source>
        <translation>Erklärungen durchsuchen</translation>
    </message>
    <message>
        <source>Explanations</source>
        <translation>Erklärungen</translation>
    </message>
    <message>
        <source>Nothing is called so.</source>
        <translation>Nichts heißt so.</translation>
    </message>
    <message>
        <source>Pruner: draft, then verify</source>
        <translation>Pruner: entwerfen, dann prüfen</translation>
    </message>
    <message>
        <source>MoA-Pruner: with a pre-trained model that adapts</source>
        <translation>MoA-Pruner: mit einem vortrainierten Modell, das sich anpasst</translation>
    </message>
    <message>
        <source>MetaSchedule: TVM&apos;s evolutionary search</source>
        <translation>MetaSchedule: TVMs evolutionäre Suche</translation>
    </message>
    <message>
        <source>Ansor-like: learned model on every candidate</source>
        <translation>Wie Ansor: gelerntes Modell auf jedem Kandidaten</translation>
    </message>
    <message>
        <source>TenSet MLP: offline model</source>
        <translation>TenSet MLP: vorab gelerntes Modell</translation>
    </message>
    <message>
        <source>TLP: offline model on primitives</source>
        <translation>TLP: vorab gelerntes Modell auf Primitiven</translation>
    </message>
    <message>
        <source>Random search</source>
        <translation>Zufällige Suche</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>not built in: of a plugin</source>
        <translation>nicht eingebaut: aus einem Plugin</translation>
    </message>
    <message>
        <source>this machine: {device}, cores: {count}</source>
        <translation>dieser Rechner: {device}, Kerne: {count}</translation>
    </message>
    <message>
        <source>this machine: {device}, multiprocessors: {count}</source>
        <translation>dieser Rechner: {device}, Multiprozessoren: {count}</translation>
    </message>
    <message>
        <source>the CPU of this machine</source>
        <translation>die CPU dieses Rechners</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>a target of TVM, by its tag or as JSON</source>
        <translation>ein Target von TVM, mit seinem Namen oder als JSON</translation>
    </message>
    <message>
        <source>the processor of the boards, which are asked what it is</source>
        <translation>der Prozessor der Boards, die danach gefragt werden</translation>
    </message>
    <message>
        <source>preset: {device}</source>
        <translation>bekanntes Gerät: {device}</translation>
    </message>
    <message>
        <source>{told}. Kernels run on the first GPU: start the window with {setting} to make it that.</source>
        <translation>{told}. Kernel laufen auf der ersten GPU: Starten Sie das Fenster mit {setting}, damit es diese ist.</translation>
    </message>
    <message>
        <source>named after the model</source>
        <translation>nach dem Modell benannt</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Choose: {what}</source>
        <translation>Wählen: {what}</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Change settings</source>
        <translation>Einstellungen ändern</translation>
    </message>
    <message>
        <source>As by default</source>
        <translation>Wie vorgegeben</translation>
    </message>
    <message>
        <source>Hide settings</source>
        <translation>Einstellungen verbergen</translation>
    </message>
    <message>
        <source>as by default</source>
        <translation>wie vorgegeben</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>Until no more gain</source>
        <translation>Bis kein Gewinn mehr kommt</translation>
    </message>
    <message>
        <source>Budget amount</source>
        <translation>Höhe des Budgets</translation>
    </message>
    <message>
        <source>Projects (*.pruner)</source>
        <translation>Projekte (*.pruner)</translation>
    </message>
    <message>
        <source>Nothing here yet</source>
        <translation>Noch nichts da</translation>
    </message>
    <message>
        <source>density of points</source>
        <translation>Dichte der Punkte</translation>
    </message>
    <message>
        <source>{drawn} of {all} points drawn</source>
        <translation>{drawn} von {all} Punkten gezeichnet</translation>
    </message>
    <message>
        <source>{path} could not be written: {why}.</source>
        <translation>{path} konnte nicht geschrieben werden: {why}.</translation>
    </message>
    <message>
        <source>Choose another folder, or make room there.</source>
        <translation>Wählen Sie einen anderen Ordner, oder schaffen Sie dort Platz.</translation>
    </message>
    <message>
        <source>pictures are not written in this format</source>
        <translation>Bilder werden in diesem Format nicht geschrieben</translation>
    </message>
    <message>
        <source>{figure}: save</source>
        <translation>{figure}: speichern</translation>
    </message>
    <message>
        <source>Save or copy the picture or its values</source>
        <translation>Bild oder Werte speichern oder kopieren</translation>
    </message>
    <message>
        <source>Save as {kind}…</source>
        <translation>Als {kind} speichern…</translation>
    </message>
    <message>
        <source>Copy the &amp;values</source>
        <translation>&amp;Werte kopieren</translation>
    </message>
    <message>
        <source>Copy the &amp;picture</source>
        <translation>&amp;Bild kopieren</translation>
    </message>
    <message>
        <source>Save {figure}</source>
        <translation>{figure} speichern</translation>
    </message>
    <message>
        <source>Saved: {path}</source>
        <translation>Gespeichert: {path}</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Less</source>
        <translation>Weniger</translation>
    </message>
    <message>
        <source>Dismiss all</source>
        <translation>Alle schließen</translation>
    </message>
    <message>
        <source>Older problems: {count} (shown when others are dismissed)</source>
        <translation>Ältere Meldungen: {count} (sie erscheinen, wenn andere geschlossen werden)</translation>
    </message>
    <message>
        <source>Recent projects</source>
        <translation>Letzte Projekte</translation>
    </message>
    <message>
        <source>Open the demonstration</source>
        <translation>Vorführung öffnen</translation>
    </message>
    <message>
        <source>A tuned sample, ready to look at</source>
        <translation>Ein optimiertes Beispiel, bereit zum Ansehen</translation>
    </message>
    <message>
        <source>Projects that you tune or open are listed here.</source>
        <translation>Projekte, die Sie optimieren oder öffnen, stehen hier.</translation>
    </message>
    <message>
        <source>&amp;Copy the path</source>
        <translation>&amp;Pfad kopieren</translation>
    </message>
    <message>
        <source>&amp;Remove from this list</source>
        <translation>Aus dieser Liste &amp;entfernen</translation>
    </message>
    <message>
        <source>Open recent project {name}</source>
        <translation>Letztes Projekt {name} öffnen</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>tuning</source>
        <translation>optimiert</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>Best latency of all runs, and the gain over untuned</source>
        <translation>Beste Latenz aller Läufe, und der Gewinn gegenüber unoptimiert</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>bereitet vor</translation>
    </message>
    <message>
        <source>pausing</source>
        <translation>hält an</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>Run {id} · {model} · {strategy}</source>
        <translation>Lauf {id} · {model} · {strategy}</translation>
    </message>
    <message>
        <source>{strategy}, cold caches</source>
        <translation>{strategy}, kalte Caches</translation>
    </message>
    <message>
        <source>{strategy}, warm caches</source>
        <translation>{strategy}, warme Caches</translation>
    </message>
    <message>
        <source>{drawn} of {all} runs drawn</source>
        <translation>{drawn} von {all} Läufen gezeichnet</translation>
    </message>
    <message>
        <source>No project open</source>
        <translation>Kein Projekt offen</translation>
    </message>
    <message>
        <source>Run shown</source>
        <translation>Gezeigter Lauf</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Hold after the candidates in flight (Ctrl+P)</source>
        <translation>Nach den laufenden Kandidaten anhalten (Strg+P)</translation>
    </message>
    <message>
        <source>Go on with the search that is held (Ctrl+P)</source>
        <translation>Die angehaltene Suche fortsetzen (Strg+P)</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>End the job; a run can be resumed (Ctrl+.)</source>
        <translation>Den Auftrag beenden; ein Lauf lässt sich fortsetzen (Strg+.)</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on where the run was left (Ctrl+R)</source>
        <translation>Dort weitermachen, wo der Lauf war (Strg+R)</translation>
    </message>
    <message>
        <source>Go on…</source>
        <translation>Weiter…</translation>
    </message>
    <message>
        <source>Let the run make more trials than its budget</source>
        <translation>Den Lauf mehr Versuche machen lassen als sein Budget</translation>
    </message>
    <message>
        <source>Share of the budget used</source>
        <translation>Anteil des verbrauchten Budgets</translation>
    </message>
    <message>
        <source>Go on with this run</source>
        <translation>Mit diesem Lauf weitermachen</translation>
    </message>
    <message>
        <source>Further trials</source>
        <translation>Weitere Versuche</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>Neuer Lauf</translation>
    </message>
    <message>
        <source>Run {id}</source>
        <translation>Lauf {id}</translation>
    </message>
    <message>
        <source>{job}: {phase}</source>
        <translation>{job}: {phase}</translation>
    </message>
    <message>
        <source>of {budget}</source>
        <translation>von {budget}</translation>
    </message>
    <message>
        <source>until no more gain</source>
        <translation>bis kein Gewinn mehr kommt</translation>
    </message>
    <message>
        <source>This model leaves dimensions open. Kernels are tuned for fixed shapes: give the ones you run.</source>
        <translation>Dieses Modell lässt Größen offen. Kernel werden für feste Größen optimiert: Nennen Sie die, die Sie verwenden.</translation>
    </message>
    <message>
        <source>Dimension {dimension} of input {name}</source>
        <translation>Dimension {dimension} der Eingabe {name}</translation>
    </message>
    <message>
        <source>RUN</source>
        <translation>LAUF</translation>
    </message>
    <message>
        <source>given up</source>
        <translation>aufgegeben</translation>
    </message>
    <message>
        <source>Same name at every run</source>
        <translation>In jedem Lauf derselbe Name</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Shapes</source>
        <translation>Formen</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Bestes</translation>
    </message>
    <message>
        <source>Over trials</source>
        <translation>Über Versuche</translation>
    </message>
    <message>
        <source>Of roof</source>
        <translation>Vom Dach</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Aufgaben</translation>
    </message>
    <message>
        <source>Each row is one distinct kernel of the model. Press Enter on a row to look at its schedules.</source>
        <translation>Jede Zeile ist ein Kernel des Modells. Die Eingabetaste zeigt seine Ablaufpläne.</translation>
    </message>
    <message>
        <source>Tune the selected tasks before all others</source>
        <translation>Die ausgewählten Aufgaben vor allen anderen optimieren</translation>
    </message>
    <message>
        <source>Give the selected tasks more rounds</source>
        <translation>Den ausgewählten Aufgaben mehr Runden geben</translation>
    </message>
    <message>
        <source>Tune the selected tasks no more</source>
        <translation>Die ausgewählten Aufgaben nicht weiter optimieren</translation>
    </message>
    <message>
        <source>Filter by name, operator or shape   (Ctrl+F)</source>
        <translation>Nach Name, Operator oder Form filtern   (Strg+F)</translation>
    </message>
    <message>
        <source>Filter tasks</source>
        <translation>Aufgaben filtern</translation>
    </message>
    <message>
        <source>Divider of tasks and roofline</source>
        <translation>Trennlinie von Aufgaben und Roofline</translation>
    </message>
    <message>
        <source>No tasks yet</source>
        <translation>Noch keine Aufgaben</translation>
    </message>
    <message>
        <source>The kernels of a model are listed here as soon as a run has read it.</source>
        <translation>Hier stehen die Kernel eines Modells, sobald ein Lauf es gelesen hat.</translation>
    </message>
    <message>
        <source>No task has all these words in its name, operator or shapes: change the filter (Ctrl+F).</source>
        <translation>Keine Aufgabe hat alle diese Wörter in Name, Operator oder Formen: den Filter ändern (Strg+F).</translation>
    </message>
    <message>
        <source>the best schedule of each task under the measured limits of the device</source>
        <translation>der beste Ablaufplan jeder Aufgabe unter den gemessenen Grenzen des Geräts</translation>
    </message>
    <message>
        <source>some are faster than the profile of the device allows: measure it anew on Devices, for later runs</source>
        <translation>manche sind schneller, als das Profil des Geräts zulässt: Messen Sie es unter „Geräte“ neu, für spätere Läufe</translation>
    </message>
    <message>
        <source>Why the task was given up</source>
        <translation>Warum die Aufgabe aufgegeben wurde</translation>
    </message>
    <message>
        <source>Roofline of the tasks</source>
        <translation>Roofline der Aufgaben</translation>
    </message>
    <message>
        <source>Boost</source>
        <translation>Bevorzugen</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Einfrieren</translation>
    </message>
    <message>
        <source>Back to normal</source>
        <translation>Zurück zu normal</translation>
    </message>
    <message>
        <source>Undo pin, boost or freeze</source>
        <translation>Anheften, Bevorzugen oder Einfrieren aufheben</translation>
    </message>
    <message>
        <source>Open schedules</source>
        <translation>Ablaufpläne öffnen</translation>
    </message>
    <message>
        <source>Tasks: {shown} of {all}</source>
        <translation>Aufgaben: {shown} von {all}</translation>
    </message>
    <message>
        <source>Tasks: {all}</source>
        <translation>Aufgaben: {all}</translation>
    </message>
    <message>
        <source>{task} was given up: {reason}</source>
        <translation>{task} wurde aufgegeben: {reason}</translation>
    </message>
    <message>
        <source>best schedules (larger: more of the time)</source>
        <translation>beste Ablaufpläne (größer: mehr von der Zeit)</translation>
    </message>
    <message>
        <source>explored</source>
        <extracomment>what candidates go through, each with the key of its count in a row of the project file</extracomment>
        <translation>erkundet</translation>
    </message>
    <message>
        <source>verified</source>
        <translation>geprüft</translation>
    </message>
    <message>
        <source>valid</source>
        <translation>gültig</translation>
    </message>
    <message>
        <source>Rank correlation, draft</source>
        <translation>Rangkorrelation, Entwurf</translation>
    </message>
    <message>
        <source>Rank correlation, verified</source>
        <translation>Rangkorrelation, geprüft</translation>
    </message>
    <message>
        <source>Fastest in the draft&apos;s order</source>
        <translation>Schnellster im Entwurf</translation>
    </message>
    <message>
        <source>Fastest in the verified order</source>
        <translation>Schnellster in der geprüften Ordnung</translation>
    </message>
    <message>
        <source>draft score (higher is better)</source>
        <translation>Wertung des Entwurfs (höher ist besser)</translation>
    </message>
    <message>
        <source>verified score (higher is better)</source>
        <translation>Wertung der Prüfung (höher ist besser)</translation>
    </message>
    <message>
        <source>place of the draft score in its round (1 is best)</source>
        <translation>Platz der Wertung des Entwurfs in ihrer Runde (1 ist am besten)</translation>
    </message>
    <message>
        <source>place of the verified score in its round (1 is best)</source>
        <translation>Platz der Wertung der Prüfung in ihrer Runde (1 ist am besten)</translation>
    </message>
    <message>
        <source>Round</source>
        <translation>Runde</translation>
    </message>
    <message>
        <source>Lowered</source>
        <translation>Ohne Formel</translation>
    </message>
    <message>
        <source>ρ draft</source>
        <translation>ρ Entwurf</translation>
    </message>
    <message>
        <source>ρ verified</source>
        <translation>ρ geprüft</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>Bauen</translation>
    </message>
    <message>
        <source>Learn</source>
        <translation>Lernen</translation>
    </message>
    <message>
        <source>Probe</source>
        <translation>Probe</translation>
    </message>
    <message>
        <source>Draft vs verify</source>
        <translation>Entwurf/Prüfung</translation>
    </message>
    <message>
        <source>A formula drafts from very many candidates, the learned model verifies few, the best of them are measured.</source>
        <translation>Eine Formel entwirft aus sehr vielen Kandidaten, das gelernte Modell prüft wenige, die besten davon werden gemessen.</translation>
    </message>
    <message>
        <source>Task shown</source>
        <translation>Gezeigte Aufgabe</translation>
    </message>
    <message>
        <source>Funnel</source>
        <translation>Trichter</translation>
    </message>
    <message>
        <source>All rounds</source>
        <translation>Alle Runden</translation>
    </message>
    <message>
        <source>No round of these tasks yet: choose all tasks, or boost this one on the Tasks page.</source>
        <translation>Noch keine Runde dieser Aufgaben: alle Aufgaben wählen oder diese auf der Seite Aufgaben bevorzugen.</translation>
    </message>
    <message>
        <source>Draft scores of all that a round explored, and of what it drafted from that</source>
        <translation>Wertungen des Entwurfs von allem, was eine Runde erkundet hat, und von dem, was sie daraus entworfen hat</translation>
    </message>
    <message>
        <source>no candidate was valid</source>
        <translation>kein Kandidat war gültig</translation>
    </message>
    <message>
        <source>needs three scored and measured in a round</source>
        <translation>braucht drei gewertete und gemessene in einer Runde</translation>
    </message>
    <message>
        <source>Scores and measurements</source>
        <translation>Wertungen und Messungen</translation>
    </message>
    <message>
        <source>of one round</source>
        <translation>aus einer Runde</translation>
    </message>
    <message>
        <source>a double click on a point opens its schedule</source>
        <translation>ein Doppelklick auf einen Punkt öffnet seinen Ablaufplan</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>choose one to see its funnel and candidates alone</source>
        <translation>eine wählen, um nur ihren Trichter und ihre Kandidaten zu sehen</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>Beide</translation>
    </message>
    <message>
        <source>The draft&apos;s score against the verified one</source>
        <translation>Die Wertung des Entwurfs gegen die der Prüfung</translation>
    </message>
    <message>
        <source>over one candidate</source>
        <translation>über einen Kandidaten</translation>
    </message>
    <message>
        <source>mean over {count} rounds</source>
        <translation>Mittel über {count} Runden</translation>
    </message>
    <message>
        <source>choose one round</source>
        <translation>eine Runde wählen</translation>
    </message>
    <message>
        <source>No round yet</source>
        <translation>Noch keine Runde</translation>
    </message>
    <message>
        <source>Top-5 draft</source>
        <translation>Top-5 Entwurf</translation>
    </message>
    <message>
        <source>Top-5 verified</source>
        <translation>Top-5 geprüft</translation>
    </message>
    <message>
        <source>Each round of the search is shown here once it is measured.</source>
        <translation>Jede Runde der Suche steht hier, sobald sie gemessen ist.</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Wertung</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>measured latency</source>
        <translation>gemessene Latenz</translation>
    </message>
    <message>
        <source>Funnel of round {number}</source>
        <translation>Trichter der Runde {number}</translation>
    </message>
    <message>
        <source>Funnel of all rounds</source>
        <translation>Trichter aller Runden</translation>
    </message>
    <message>
        <source>All tasks with “{words}”</source>
        <translation>Alle Aufgaben mit „{words}“</translation>
    </message>
    <message>
        <source>All tasks</source>
        <translation>Alle Aufgaben</translation>
    </message>
    <message>
        <source>share of the candidates</source>
        <translation>Anteil der Kandidaten</translation>
    </message>
    <message>
        <source>No candidate has such a score.</source>
        <translation>Kein Kandidat hat eine solche Wertung.</translation>
    </message>
    <message>
        <source>No candidate was valid.</source>
        <translation>Kein Kandidat war gültig.</translation>
    </message>
    <message>
        <source>No round has explored candidates.</source>
        <translation>Keine Runde hat Kandidaten erkundet.</translation>
    </message>
    <message>
        <source>explored in round {number}</source>
        <translation>erkundet in Runde {number}</translation>
    </message>
    <message>
        <source>drafted in round {number}</source>
        <translation>entworfen in Runde {number}</translation>
    </message>
    <message>
        <source>over {count} candidates</source>
        <translation>über {count} Kandidaten</translation>
    </message>
    <message>
        <source>place among {count}</source>
        <translation>Platz unter {count}</translation>
    </message>
    <message>
        <source>choose one task</source>
        <translation>eine Aufgabe wählen</translation>
    </message>
    <message>
        <source>RESULTS</source>
        <translation>ERGEBNISSE</translation>
    </message>
    <message>
        <source>MACHINE</source>
        <translation>RECHNER</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>Helle Farben</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>Dunkle Farben</translation>
    </message>
    <message>
        <source>Use the light theme</source>
        <translation>Helle Farben verwenden</translation>
    </message>
    <message>
        <source>Use the dark theme</source>
        <translation>Dunkle Farben verwenden</translation>
    </message>
    <message>
        <source>A job is still running in this window.</source>
        <translation>In diesem Fenster läuft noch ein Auftrag.</translation>
    </message>
    <message>
        <source>Stop it first, or let it finish.</source>
        <translation>Stoppen Sie ihn erst oder lassen Sie ihn enden.</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>No tuning is lost. Export again; if it ends again, send the makers a report (Help menu).</source>
        <translation>Nichts vom Optimieren ist verloren. Exportieren Sie noch einmal; endet der Export wieder so, senden Sie den Entwicklern einen Bericht (Menü Hilfe).</translation>
    </message>
    <message>
        <source>Nothing valid was measured.</source>
        <translation>Es wurde nichts Gültiges gemessen.</translation>
    </message>
    <message>
        <source>See Failures on the Overview.</source>
        <translation>Siehe Fehlschläge in der Übersicht.</translation>
    </message>
    <message>
        <source>It is ended after {end:.0f} s. What it measured is kept, and the run can be resumed.</source>
        <translation>Nach {end:.0f} s wird sie beendet. Was sie gemessen hat, bleibt erhalten, und der Lauf kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>The engine has given no sign of life for {worry:.0f} s.</source>
        <translation>Die Engine hat seit {worry:.0f} s kein Lebenszeichen gegeben.</translation>
    </message>
    <message>
        <source>End it now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <source>What was measured is in the project file: press Resume to go on.</source>
        <translation>Was gemessen wurde, steht in der Projektdatei: Drücken Sie Fortsetzen.</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>Trace</translation>
    </message>
    <message>
        <source>Loop nest</source>
        <translation>Schleifen</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Symbols</source>
        <translation>Symbole</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>Reference: {name}</source>
        <translation>Bezug: {name}</translation>
    </message>
    <message>
        <source>Best of run {number}: {name}</source>
        <translation>Bester aus Lauf {number}: {name}</translation>
    </message>
    <message>
        <source>candidate {number} (run {run}, {more})</source>
        <translation>Kandidat {number} (Lauf {run}, {more})</translation>
    </message>
    <message>
        <source>{project}: {candidate}</source>
        <translation>{project}: {candidate}</translation>
    </message>
    <message>
        <source>{candidate} of {task}</source>
        <translation>{candidate} von {task}</translation>
    </message>
    <message>
        <source>Applying both traces…</source>
        <translation>Beide Traces werden angewandt…</translation>
    </message>
    <message>
        <source>Both are equally fast.</source>
        <translation>Beide sind gleich schnell.</translation>
    </message>
    <message>
        <source>The right one is {ratio} faster.</source>
        <translation>Der rechte ist {ratio} schneller.</translation>
    </message>
    <message>
        <source>The right one is {ratio} slower.</source>
        <translation>Der rechte ist {ratio} langsamer.</translation>
    </message>
    <message>
        <source>Their repeats differ by more than that.</source>
        <translation>Ihre Wiederholungen unterscheiden sich um mehr.</translation>
    </message>
    <message>
        <source>No candidate of this task is valid; choose one at the left to see why.</source>
        <translation>Kein Kandidat dieser Aufgabe ist gültig; wählen Sie links einen, um den Grund zu sehen.</translation>
    </message>
    <message>
        <source>Place under the roofline</source>
        <translation>Ort unter der Roofline</translation>
    </message>
    <message>
        <source>Roofline of the candidates</source>
        <translation>Roofline der Kandidaten</translation>
    </message>
    <message>
        <source>best of other tasks</source>
        <translation>beste anderer Aufgaben</translation>
    </message>
    <message>
        <source>best of {task}</source>
        <translation>bester von {task}</translation>
    </message>
    <message>
        <source>this task</source>
        <translation>diese Aufgabe</translation>
    </message>
    <message>
        <source>Candidate {number}</source>
        <translation>Kandidat {number}</translation>
    </message>
    <message>
        <source>The device has no profile, or the kernel counts no floating-point operations.</source>
        <translation>Das Gerät hat kein Profil, oder der Kernel zählt keine Gleitkommaoperationen.</translation>
    </message>
    <message>
        <source>its peak</source>
        <translation>seine Spitzenleistung</translation>
    </message>
    <message>
        <source>the bandwidth of {level}, which its arguments come from</source>
        <translation>die Bandbreite von {level}, woher seine Argumente kommen</translation>
    </message>
    <message>
        <source>At {intensity} FLOP a byte the device allows {rate}: {limit}.</source>
        <translation>Bei {intensity} FLOP je Byte erlaubt das Gerät {rate}: {limit}.</translation>
    </message>
    <message>
        <source>This candidate reaches {rate}, {share} of it.</source>
        <translation>Dieser Kandidat erreicht {rate}, {share} davon.</translation>
    </message>
    <message>
        <source>Answer about these decisions</source>
        <translation>Antwort zu diesen Entscheidungen</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Ask the learned model of this run</source>
        <translation>Das gelernte Modell dieses Laufs fragen</translation>
    </message>
    <message>
        <source>Measure now</source>
        <translation>Jetzt messen</translation>
    </message>
    <message>
        <source>Build and time it; it becomes a trial of this run</source>
        <translation>Bauen und messen; es wird ein Versuch dieses Laufs</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Divider of decisions and prediction</source>
        <translation>Trennlinie von Entscheidungen und Vorhersage</translation>
    </message>
    <message>
        <source>The run measures it first in its next round</source>
        <translation>Der Lauf misst es in seiner nächsten Runde zuerst</translation>
    </message>
    <message>
        <source>Measure next</source>
        <translation>Als Nächstes messen</translation>
    </message>
    <message>
        <source>Show the candidate</source>
        <translation>Den Kandidaten zeigen</translation>
    </message>
    <message>
        <source>The draft model reads candidates of the task&apos;s own sketches only.</source>
        <translation>Das Entwurfsmodell liest nur Kandidaten der eigenen Skizzen der Aufgabe.</translation>
    </message>
    <message>
        <source>Asking the draft model…</source>
        <translation>Das Entwurfsmodell wird gefragt…</translation>
    </message>
    <message>
        <source>Show candidate {number}</source>
        <translation>Kandidat {number} zeigen</translation>
    </message>
    <message>
        <source>Asking the learned model…</source>
        <translation>Das gelernte Modell wird gefragt…</translation>
    </message>
    <message>
        <source>Building and timing it…</source>
        <translation>Wird gebaut und gemessen…</translation>
    </message>
    <message>
        <source>The running search measures it first in its next round.</source>
        <translation>Die laufende Suche misst es in ihrer nächsten Runde zuerst.</translation>
    </message>
    <message>
        <source>Putting it into the run…</source>
        <translation>Wird in den Lauf aufgenommen…</translation>
    </message>
    <message>
        <source>About the decisions before: {answer}</source>
        <translation>Zu den Entscheidungen davor: {answer}</translation>
    </message>
    <message>
        <source>Asked for with decisions of candidate {number}.</source>
        <translation>Erbeten mit Entscheidungen von Kandidat {number}.</translation>
    </message>
    <message>
        <source>{model} puts it on place {place} of {of} candidates of this task; such a score took {latency}.</source>
        <translation>{model} setzt es auf Platz {place} von {of} Kandidaten dieser Aufgabe; eine solche Wertung brauchte {latency}.</translation>
    </message>
    <message>
        <source>It learned from {source}.</source>
        <translation>Gelernt hat es aus {source}.</translation>
    </message>
    <message>
        <source>Candidate {number} failed in {stage}: {message}</source>
        <translation>Kandidat {number} scheiterte in {stage}: {message}</translation>
    </message>
    <message>
        <source>was measured before</source>
        <translation>wurde schon gemessen</translation>
    </message>
    <message>
        <source>is a trial of this run now</source>
        <translation>ist jetzt ein Versuch dieses Laufs</translation>
    </message>
    <message>
        <source>is measured first when the run goes on (Resume)</source>
        <translation>wird zuerst gemessen, wenn der Lauf weitergeht (Fortsetzen)</translation>
    </message>
    <message>
        <source>Distribution of each decision</source>
        <translation>Verteilung jeder Entscheidung</translation>
    </message>
    <message>
        <source>Only candidates of the task&apos;s own sketches have decisions to compare.</source>
        <translation>Nur Kandidaten der eigenen Skizzen der Aufgabe haben vergleichbare Entscheidungen.</translation>
    </message>
    <message>
        <source>Counting the candidates of this sketch…</source>
        <translation>Die Kandidaten dieser Skizze werden gezählt…</translation>
    </message>
    <message>
        <source>Sketch {number}: {size} candidates, {count} drafted. Elite is the fastest tenth measured ({elite}).</source>
        <translation>Skizze {number}: {size} Kandidaten, {count} entworfen. Elite ist das schnellste gemessene Zehntel ({elite}).</translation>
    </message>
    <message>
        <source>Sketch {number}: one candidate.</source>
        <translation>Skizze {number}: ein Kandidat.</translation>
    </message>
    <message>
        <source>What the shown candidate took is marked.</source>
        <translation>Was der gezeigte Kandidat nahm, ist markiert.</translation>
    </message>
    <message>
        <source>Code of the finished nest</source>
        <translation>Code der fertigen Schleifen</translation>
    </message>
    <message>
        <source>Divider of trace and code</source>
        <translation>Trennlinie von Trace und Code</translation>
    </message>
    <message>
        <source>trace and code</source>
        <translation>Trace und Code</translation>
    </message>
    <message>
        <source>Replaying the trace…</source>
        <translation>Der Trace wird nachgespielt…</translation>
    </message>
    <message>
        <source>Assembly</source>
        <translation>Assembler</translation>
    </message>
    <message>
        <source>Form of the code</source>
        <translation>Form des Codes</translation>
    </message>
    <message>
        <source>Divider of script and compiled code</source>
        <translation>Trennlinie von Skript und übersetztem Code</translation>
    </message>
    <message>
        <source>Compiling…</source>
        <translation>Wird übersetzt…</translation>
    </message>
    <message>
        <source>What a candidate does to its kernel, and why it is as fast as it is.</source>
        <translation>Was ein Kandidat mit seinem Kernel macht, und warum er so schnell ist, wie er ist.</translation>
    </message>
    <message>
        <source>Divider of candidates and candidate</source>
        <translation>Trennlinie von Kandidatenliste und Kandidat</translation>
    </message>
    <message>
        <source>No schedule yet</source>
        <translation>Noch kein Ablaufplan</translation>
    </message>
    <message>
        <source>Candidates of a task are shown here as soon as the first round is measured.</source>
        <translation>Die Kandidaten einer Aufgabe stehen hier, sobald die erste Runde gemessen ist.</translation>
    </message>
    <message>
        <source>Candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>Use as reference</source>
        <translation>Als Bezug nehmen</translation>
    </message>
    <message>
        <source>Compare other candidates with this one</source>
        <translation>Andere Kandidaten mit diesem vergleichen</translation>
    </message>
    <message>
        <source>Clear the reference</source>
        <translation>Bezug aufheben</translation>
    </message>
    <message>
        <source>Other candidates are compared with this one: compare them with it no longer</source>
        <translation>Andere Kandidaten werden mit diesem verglichen: nicht länger mit ihm vergleichen</translation>
    </message>
    <message>
        <source>Trace, code and decisions are shown here once a candidate of this task was measured.</source>
        <translation>Trace, Code und Entscheidungen stehen hier, sobald ein Kandidat dieser Aufgabe gemessen ist.</translation>
    </message>
    <message>
        <source>Views of the candidate</source>
        <translation>Ansichten des Kandidaten</translation>
    </message>
    <message>
        <source>Trace and loops</source>
        <translation>Trace, Schleifen</translation>
    </message>
    <message>
        <source>Why, what if</source>
        <translation>Warum, was wenn</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>Entscheidungen</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>Diff</translation>
    </message>
    <message>
        <source>Untuned kernel</source>
        <translation>Unoptimierter Kernel</translation>
    </message>
    <message>
        <source>no valid candidate yet</source>
        <translation>noch keiner gültig</translation>
    </message>
    <message>
        <source>No candidate to show</source>
        <translation>Kein Kandidat zu zeigen</translation>
    </message>
    <message>
        <source>best of its task</source>
        <translation>der beste</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Nummer</translation>
    </message>
    <message>
        <source>Instruction</source>
        <translation>Anweisung</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>Entscheidung</translation>
    </message>
    <message>
        <source>The untuned kernel has no trace; candidates have one.</source>
        <translation>Der nicht optimierte Kernel hat keinen Trace; Kandidaten haben einen.</translation>
    </message>
    <message>
        <source>Instructions of the trace</source>
        <translation>Anweisungen des Traces</translation>
    </message>
    <message>
        <source>Divider of instructions and loops</source>
        <translation>Trennlinie von Anweisungen und Schleifen</translation>
    </message>
    <message>
        <source>Step of the trace</source>
        <translation>Schritt des Traces</translation>
    </message>
    <message>
        <source>Step back</source>
        <translation>Schritt zurück</translation>
    </message>
    <message>
        <source>Step on</source>
        <translation>Schritt vor</translation>
    </message>
    <message>
        <source>The kernel as it is without a schedule</source>
        <translation>Der Kernel ohne Ablaufplan</translation>
    </message>
    <message>
        <source>{at} of {all}</source>
        <translation>{at} von {all}</translation>
    </message>
    <message>
        <source>Why it is as fast as it is</source>
        <translation>Warum er so schnell ist, wie er ist</translation>
    </message>
    <message>
        <source>In brackets and as a line: the candidate as it is, where it differs.</source>
        <translation>In Klammern und als Strich: der Kandidat, wie er ist, wo er abweicht.</translation>
    </message>
    <message>
        <source>Predicted parts of the latency</source>
        <translation>Vorhergesagte Teile der Latenz</translation>
    </message>
    <message>
        <source>, as fast as the candidate</source>
        <translation>, so schnell wie der Kandidat</translation>
    </message>
    <message>
        <source>, {ratio} faster than the candidate</source>
        <translation>, {ratio} schneller als der Kandidat</translation>
    </message>
    <message>
        <source>, {ratio} slower than the candidate</source>
        <translation>, {ratio} langsamer als der Kandidat</translation>
    </message>
    <message>
        <source>Predicted time</source>
        <translation>Vorhergesagte Zeit</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Wertungen</translation>
    </message>
    <message>
        <source>Parts of the predicted time</source>
        <translation>Teile der vorhergesagten Zeit</translation>
    </message>
    <message>
        <source>Penalties</source>
        <translation>Abzüge</translation>
    </message>
    <message>
        <source>Settings of a run</source>
        <translation>Einstellungen eines Laufs</translation>
    </message>
    <message>
        <source>Source: {source}</source>
        <translation>Quelle: {source}</translation>
    </message>
    <message>
        <source>Symbols, penalties, scores and figures</source>
        <translation>Symbole, Abzüge, Wertungen und Werte</translation>
    </message>
    <message>
        <source>What the window and the terminal show, how it is computed, and where it comes from.</source>
        <translation>Was Fenster und Terminal zeigen, wie es berechnet wird und woher es kommt.</translation>
    </message>
    <message>
        <source>Symbols (bars are logarithmic)</source>
        <translation>Symbole (Balken logarithmisch)</translation>
    </message>
    <message>
        <source>Choose a candidate.</source>
        <translation>Einen Kandidaten wählen.</translation>
    </message>
    <message>
        <source>, measured {latency}</source>
        <translation>, gemessen {latency}</translation>
    </message>
    <message>
        <source>Predicted {latency}</source>
        <translation>Vorhergesagt {latency}</translation>
    </message>
    <message>
        <source>both schedules</source>
        <translation>beide Ablaufpläne</translation>
    </message>
    <message>
        <source>Previous difference (Shift+F8)</source>
        <translation>Voriger Unterschied (Umschalt+F8)</translation>
    </message>
    <message>
        <source>Next difference (F8)</source>
        <translation>Nächster Unterschied (F8)</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Bezug</translation>
    </message>
    <message>
        <source>Shown candidate</source>
        <translation>Gezeigter Kandidat</translation>
    </message>
    <message>
        <source>{changed} of {all} lines differ.</source>
        <translation>{changed} von {all} Zeilen sind verschieden.</translation>
    </message>
    <message>
        <source>One of {all} lines differs.</source>
        <translation>Eine von {all} Zeilen ist verschieden.</translation>
    </message>
    <message>
        <source>They are not of one sketch, so that their decisions do not compare.</source>
        <translation>Sie sind nicht aus einer Skizze, darum sind ihre Entscheidungen nicht vergleichbar.</translation>
    </message>
    <message>
        <source>Decisions that differ: {changes}.</source>
        <translation>Verschiedene Entscheidungen: {changes}.</translation>
    </message>
    <message>
        <source>difference {at} of {count}</source>
        <translation>Unterschied {at} von {count}</translation>
    </message>
    <message>
        <source>differences: {count}</source>
        <translation>Unterschiede: {count}</translation>
    </message>
    <message>
        <source>prior</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>untätig</translation>
    </message>
    <message>
        <source>records</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>reading the model</source>
        <translation>liest das Modell</translation>
    </message>
    <message>
        <source>measuring the device</source>
        <translation>misst das Gerät</translation>
    </message>
    <message>
        <source>finding the kernels</source>
        <translation>findet die Kernel</translation>
    </message>
    <message>
        <source>choosing the layout</source>
        <translation>wählt die Anordnung</translation>
    </message>
    <message>
        <source>laying out the design space</source>
        <translation>legt den Entwurfsraum an</translation>
    </message>
    <message>
        <source>taking up the run</source>
        <translation>nimmt den Lauf auf</translation>
    </message>
    <message>
        <source>timing without tuning</source>
        <translation>misst ohne Optimierung</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>verify</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>build</source>
        <translation>Bau</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>measure</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>learn</source>
        <translation>Lernen</translation>
    </message>
    <message>
        <source>export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>check</source>
        <translation>Kontrolle</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>boosted</source>
        <translation>bevorzugt</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>eingefroren</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>drafted</source>
        <translation>entworfen</translation>
    </message>
    <message>
        <source>random</source>
        <translation>zufällig</translation>
    </message>
    <message>
        <source>elite</source>
        <translation>Elite</translation>
    </message>
    <message>
        <source>evolved</source>
        <translation>weiterentwickelt</translation>
    </message>
    <message>
        <source>user</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>another project</source>
        <translation>anderes Projekt</translation>
    </message>
    <message>
        <source>Tuned</source>
        <translation>Optimiert</translation>
    </message>
    <message>
        <source>ONNX Runtime</source>
        <translation>ONNX Runtime</translation>
    </message>
    <message>
        <source>PyTorch</source>
        <translation>PyTorch</translation>
    </message>
    <message>
        <source>LiteRT</source>
        <translation>LiteRT</translation>
    </message>
    <message>
        <source>root</source>
        <translation>Wurzel</translation>
    </message>
    <message>
        <source>inline</source>
        <translation>eingesetzt</translation>
    </message>
    <message>
        <source>loop {number}</source>
        <translation>Schleife {number}</translation>
    </message>
    <message>
        <source>{decision}, distribution</source>
        <translation>{decision}, Verteilung</translation>
    </message>
    <message>
        <source>{name}, factor {number} (outermost)</source>
        <translation>{name}, Faktor {number} (außen)</translation>
    </message>
    <message>
        <source>{name}, factor {number}</source>
        <translation>{name}, Faktor {number}</translation>
    </message>
    <message>
        <source>FLOP per byte of the arguments</source>
        <translation>FLOP je Byte der Argumente</translation>
    </message>
    <message>
        <source>peak {rate}</source>
        <translation>Spitze {rate}</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>measured next</source>
        <translation>wird als Nächstes gemessen</translation>
    </message>
    <message>
        <source>abandoned</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>checked</source>
        <translation>verglichen</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>No candidate of this task was measured in this run: pin or boost it on the Tasks page while it runs.</source>
        <translation>In diesem Lauf wurde kein Kandidat dieser Aufgabe gemessen: sie während des Laufs auf der Seite Aufgaben anheften oder bevorzugen.</translation>
    </message>
    <message>
        <source>No trial of this task failed.</source>
        <translation>Kein Versuch dieser Aufgabe ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Nothing was drafted for this task in this run: pin or boost it on the Tasks page while it runs.</source>
        <translation>In diesem Lauf wurde für diese Aufgabe nichts entworfen: sie während des Laufs auf der Seite Aufgaben anheften oder bevorzugen.</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>Kandidaten</translation>
    </message>
    <message>
        <source>Candidates shown</source>
        <translation>Gezeigte Kandidaten</translation>
    </message>
    <message>
        <source>{gain} over reference {number}</source>
        <translation>{gain} gegenüber Bezug {number}</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>All drafted</source>
        <translation>Entworfen</translation>
    </message>
    <message>
        <source>edit of decision {number}</source>
        <translation>Änderung der Entscheidung {number}</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Was wäre wenn</translation>
    </message>
    <message>
        <source>Move a factor: the prediction follows. Factors of a loop always multiply to its extent.</source>
        <translation>Einen Faktor bewegen: Die Vorhersage folgt. Die Faktoren einer Schleife ergeben immer ihre Länge.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Take the last edit back (Ctrl+Z)</source>
        <translation>Die letzte Änderung zurücknehmen (Strg+Z)</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Do it again (Ctrl+Shift+Z)</source>
        <translation>Noch einmal tun (Strg+Umschalt+Z)</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Back to the candidate&apos;s own decisions</source>
        <translation>Zurück zu den Entscheidungen des Kandidaten</translation>
    </message>
    <message>
        <source>Only tasks with “{words}”</source>
        <translation>Nur Aufgaben mit „{words}“</translation>
    </message>
    <message>
        <source>Show all tasks again</source>
        <translation>Wieder alle Aufgaben zeigen</translation>
    </message>
    <message>
        <source>Show all tasks, not only those with {words}</source>
        <translation>Alle Aufgaben zeigen, nicht nur die mit {words}</translation>
    </message>
    <message>
        <source>Noise of the machine</source>
        <translation>Rauschen des Rechners</translation>
    </message>
    <message>
        <source>A fixed kernel, timed before every round, took {best} at best, {worst} ({ratio}) at worst, {now} now.</source>
        <translation>Ein fester Kernel, vor jeder Runde gemessen, brauchte bestenfalls {best}, schlimmstenfalls {worst} ({ratio}), jetzt {now}.</translation>
    </message>
    <message>
        <source>Latencies of tasks may differ by as much; candidates of one task are timed in turns with one kernel.</source>
        <translation>Latenzen verschiedener Aufgaben können sich um so viel unterscheiden; Kandidaten einer Aufgabe werden im Wechsel mit ein und demselben Kernel gemessen.</translation>
    </message>
    <message>
        <source>Latencies may differ by as much: boards run one kernel at a time.</source>
        <translation>Latenzen können sich um so viel unterscheiden: Boards führen einen Kernel nach dem anderen aus.</translation>
    </message>
    <message>
        <source>Is Python still where Pruner Studio was installed? Otherwise install it again.</source>
        <translation>Ist Python noch da, wo Pruner Studio installiert wurde? Installieren Sie es sonst neu.</translation>
    </message>
    <message>
        <source>The engine was killed (signal {number}): by another program, or by the system when memory runs short.</source>
        <translation>Die Engine wurde abgebrochen (Signal {number}): von einem anderen Programm, oder vom System, wenn der Speicher knapp wird.</translation>
    </message>
    <message>
        <source>The engine gave no sign of life for {seconds:.0f} s and was ended.</source>
        <translation>Die Engine gab {seconds:.0f} s lang kein Lebenszeichen und wurde beendet.</translation>
    </message>
    <message>
        <source>The engine sent a message that the Studio does not know.</source>
        <translation>Die Engine schickte eine Nachricht, die das Studio nicht kennt.</translation>
    </message>
    <message>
        <source>Install Studio and engine from the same release; if they are, send the report to the makers.</source>
        <translation>Installieren Sie Studio und Engine aus derselben Ausgabe; sind sie es, senden Sie den Bericht an die Entwickler.</translation>
    </message>
    <message>
        <source>The engine speaks protocol {theirs}, the Studio {ours}.</source>
        <translation>Die Engine spricht Protokoll {theirs}, das Studio {ours}.</translation>
    </message>
    <message>
        <source>Install the two from the same release.</source>
        <translation>Installieren Sie beide aus derselben Ausgabe.</translation>
    </message>
    <message>
        <source>The engine could not be started: {why}.</source>
        <translation>Die Engine konnte nicht gestartet werden: {why}.</translation>
    </message>
    <message>
        <source>The engine was ended by signal {number} ({name}).</source>
        <translation>Die Engine wurde durch Signal {number} beendet ({name}).</translation>
    </message>
    <message>
        <source>The engine ended with exit status {code}.</source>
        <translation>Die Engine endete mit dem Status {code}.</translation>
    </message>
    <message>
        <source>The engine ended suddenly.</source>
        <translation>Die Engine endete plötzlich.</translation>
    </message>
    <message>
        <source>The engine ended before it answered.</source>
        <translation>Die Engine endete, bevor sie antwortete.</translation>
    </message>
    <message>
        <source>Ask again: another engine is started. If it ends again, send the report to the makers.</source>
        <translation>Fragen Sie noch einmal: Es wird eine neue Engine gestartet. Endet sie wieder, senden Sie den Bericht an die Entwickler.</translation>
    </message>
    <message>
        <source>instruction {index}</source>
        <translation>Anweisung {index}</translation>
    </message>
    <message>
        <source>{names} = block “{block}”</source>
        <translation>{names} = Block „{block}“</translation>
    </message>
    <message>
        <source>{names} = loops of {block}</source>
        <translation>{names} = Schleifen von {block}</translation>
    </message>
    <message>
        <source>tile {loop} into {count} factors, innermost ≤ {most}</source>
        <translation>{loop} in {count} Faktoren zerlegen, innerster ≤ {most}</translation>
    </message>
    <message>
        <source>choose one of {choices}</source>
        <translation>eines wählen aus {choices}</translation>
    </message>
    <message>
        <source>choose where {block} is computed</source>
        <translation>wählen, wo {block} berechnet wird</translation>
    </message>
    <message>
        <source>{names} = split {loop}</source>
        <translation>{names} = {loop} teilen</translation>
    </message>
    <message>
        <source>postprocessing starts here</source>
        <translation>hier beginnt die Nachbearbeitung</translation>
    </message>
    <message>
        <source>Copy the report and send it to the makers.</source>
        <translation>Kopieren Sie den Bericht und schicken Sie ihn den Entwicklern.</translation>
    </message>
    <message>
        <source>There is no display. Use the terminal instead: `pruner tune MODEL`, or start an X server first.</source>
        <translation>Es gibt keinen Bildschirm. Nehmen Sie das Terminal: `pruner tune MODELL`, oder starten Sie zuerst einen X-Server.</translation>
    </message>
    <message>
        <source>block {name}</source>
        <translation>Block {name}</translation>
    </message>
    <message>
        <source>{kind} loop {name}, iterations: {extent}</source>
        <translation>Schleife {name} ({kind}), Durchläufe: {extent}</translation>
    </message>
    <message>
        <source>reads {buffers}</source>
        <translation>liest {buffers}</translation>
    </message>
    <message>
        <source>writes {buffers}</source>
        <translation>schreibt {buffers}</translation>
    </message>
    <message>
        <source>allocates {name} {dtype} in {scope}</source>
        <translation>belegt {name} {dtype} in {scope}</translation>
    </message>
    <message>
        <source>Funnel from explored to valid</source>
        <translation>Trichter von erkundet bis gültig</translation>
    </message>
    <message>
        <source>Find in {name}</source>
        <translation>In {name} suchen</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>Suchen…</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>FLOP</source>
        <translation>FLOP</translation>
    </message>
    <message>
        <source>iterations × (additions + multiplications + special functions + divisions)</source>
        <translation>Durchläufe × (Additionen + Multiplikationen + Sonderfunktionen + Divisionen)</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), symbol-based analyzer</source>
        <translation>Pruner (ASPLOS 2025), symbolbasierte Analyse</translation>
    </message>
    <message>
        <source>Parallel iterations</source>
        <translation>Parallele Durchläufe</translation>
    </message>
    <message>
        <source>Iterations that are shared out over the cores.</source>
        <translation>Durchläufe, die auf die Kerne verteilt werden.</translation>
    </message>
    <message>
        <source>product of the extents of the parallel loops</source>
        <translation>Produkt der Längen der parallelen Schleifen</translation>
    </message>
    <message>
        <source>Pruner Studio, CPU analyzer</source>
        <translation>Pruner Studio, CPU-Analyse</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>Vektor</translation>
    </message>
    <message>
        <source>Elements that the innermost loop computes at once.</source>
        <translation>Elemente, die die innerste Schleife auf einmal berechnet.</translation>
    </message>
    <message>
        <source>extent of the vectorised loop</source>
        <translation>Länge der vektorisierten Schleife</translation>
    </message>
    <message>
        <source>Accumulators</source>
        <translation>Akkumulatoren</translation>
    </message>
    <message>
        <source>Vector registers that hold sums while a reduction runs. Many hide the latency of the arithmetic; more than the device has are spilled to memory.</source>
        <translation>Vektorregister, die während einer Reduktion Summen halten. Viele verdecken die Latenz der Arithmetik; was über die des Geräts hinausgeht, wird in den Speicher ausgelagert.</translation>
    </message>
    <message>
        <source>elements of the register tile ÷ lanes of a register</source>
        <translation>Elemente der Registerkachel ÷ Lanes eines Registers</translation>
    </message>
    <message>
        <source>Loads per step</source>
        <translation>Ladevorgänge je Schritt</translation>
    </message>
    <message>
        <source>Loads from memory in one step of the reduction. Fewer loads for as many multiply-adds mean that what is loaded is used more often.</source>
        <translation>Ladevorgänge aus dem Speicher in einem Schritt der Reduktion. Weniger davon bei ebenso vielen Multiplikationen mit Addition heißt, dass Geladenes öfter verwendet wird.</translation>
    </message>
    <message>
        <source>sum over the buffers read of their vectors (or elements, where the vector does not run along memory)</source>
        <translation>Summe über die gelesenen Puffer: ihre Vektoren (oder Elemente, wo der Vektor nicht entlang des Speichers läuft)</translation>
    </message>
    <message>
        <source>Unroll</source>
        <translation>Abrollen</translation>
    </message>
    <message>
        <source>Steps of the innermost loops that are written out.</source>
        <translation>Schritte der innersten Schleifen, die ausgeschrieben werden.</translation>
    </message>
    <message>
        <source>value of the unroll annotation</source>
        <translation>Wert der Unroll-Annotation</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>How often the innermost body runs.</source>
        <translation>Wie oft der innerste Rumpf läuft.</translation>
    </message>
    <message>
        <source>iterations ÷ (vector × register tile)</source>
        <translation>Durchläufe ÷ (Vektor × Registerkachel)</translation>
    </message>
    <message>
        <source>Bytes into L1</source>
        <translation>Bytes in den L1</translation>
    </message>
    <message>
        <source>Data that has to be brought from beyond, because the working set does not stay in the nearer caches (first-level cache).</source>
        <translation>Daten, die von weiter her geholt werden müssen, weil die Arbeitsmenge nicht in den näheren Caches bleibt (L1-Cache).</translation>
    </message>
    <message>
        <source>largest working set that fits the level × times that it is replaced</source>
        <translation>größte Arbeitsmenge, die in die Ebene passt × Zahl ihrer Ersetzungen</translation>
    </message>
    <message>
        <source>Filling L1</source>
        <translation>Füllen von L1</translation>
    </message>
    <message>
        <source>Seconds that computing waits until data from beyond is in the first-level cache; prefetching hides the shorter of computing and moving, not all of it.</source>
        <translation>Sekunden, die das Rechnen wartet, bis Daten von weiter her im L1-Cache sind; Vorausladen verdeckt das Kürzere von Rechnen und Datenbewegung, aber nicht ganz.</translation>
    </message>
    <message>
        <source>bytes into the level ÷ its bandwidth, less what computing hides</source>
        <translation>Bytes in die Ebene ÷ ihre Bandbreite, weniger das, was das Rechnen verdeckt</translation>
    </message>
    <message>
        <source>Bytes into L2</source>
        <translation>Bytes in den L2</translation>
    </message>
    <message>
        <source>Data that has to be brought from beyond, because the working set does not stay in the nearer caches (second-level cache).</source>
        <translation>Daten, die von weiter her geholt werden müssen, weil die Arbeitsmenge nicht in den näheren Caches bleibt (L2-Cache).</translation>
    </message>
    <message>
        <source>Filling L2</source>
        <translation>Füllen von L2</translation>
    </message>
    <message>
        <source>Seconds that computing waits until data from beyond is in the second-level cache; prefetching hides the shorter of computing and moving, not all of it.</source>
        <translation>Sekunden, die das Rechnen wartet, bis Daten von weiter her im L2-Cache sind; Vorausladen verdeckt das Kürzere von Rechnen und Datenbewegung, aber nicht ganz.</translation>
    </message>
    <message>
        <source>Bytes into L3</source>
        <translation>Bytes in den L3</translation>
    </message>
    <message>
        <source>Data that has to be brought from beyond, because the working set does not stay in the nearer caches (third-level cache).</source>
        <translation>Daten, die von weiter her geholt werden müssen, weil die Arbeitsmenge nicht in den näheren Caches bleibt (L3-Cache).</translation>
    </message>
    <message>
        <source>Filling L3</source>
        <translation>Füllen von L3</translation>
    </message>
    <message>
        <source>Seconds that computing waits until data from beyond is in the third-level cache; prefetching hides the shorter of computing and moving, not all of it.</source>
        <translation>Sekunden, die das Rechnen wartet, bis Daten von weiter her im L3-Cache sind; Vorausladen verdeckt das Kürzere von Rechnen und Datenbewegung, aber nicht ganz.</translation>
    </message>
    <message>
        <source>Bytes from DRAM</source>
        <translation>Bytes aus dem DRAM</translation>
    </message>
    <message>
        <source>Data read from and written to main memory.</source>
        <translation>Daten, die aus dem Hauptspeicher gelesen und in ihn geschrieben werden.</translation>
    </message>
    <message>
        <source>Waiting for DRAM</source>
        <translation>Warten auf DRAM</translation>
    </message>
    <message>
        <source>Seconds that computing waits for data of the main memory; prefetching hides the shorter of computing and moving, not all of it.</source>
        <translation>Sekunden, die das Rechnen auf Daten des Hauptspeichers wartet; Vorausladen verdeckt das Kürzere von Rechnen und Datenbewegung, aber nicht ganz.</translation>
    </message>
    <message>
        <source>FLOP per thread</source>
        <translation>FLOP je Thread</translation>
    </message>
    <message>
        <source>Floating-point operations of one thread.</source>
        <translation>Gleitkommaoperationen eines Threads.</translation>
    </message>
    <message>
        <source>iterations of the thread × operations</source>
        <translation>Durchläufe des Threads × Operationen</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>Register je Thread</translation>
    </message>
    <message>
        <source>Registers that one thread needs for the buffers it keeps.</source>
        <translation>Register, die ein Thread für die Puffer braucht, die er hält.</translation>
    </message>
    <message>
        <source>sum over buffers of the product of the thread&apos;s loop extents that index them</source>
        <translation>Summe über die Puffer: Produkt der Schleifenlängen des Threads, die sie indizieren</translation>
    </message>
    <message>
        <source>Memory operations per thread</source>
        <translation>Speicherzugriffe je Thread</translation>
    </message>
    <message>
        <source>Loads and stores of one thread.</source>
        <translation>Lade- und Schreibzugriffe eines Threads.</translation>
    </message>
    <message>
        <source>sum over buffers of the product of all its loop extents that index them</source>
        <translation>Summe über die Puffer: Produkt aller seiner Schleifenlängen, die sie indizieren</translation>
    </message>
    <message>
        <source>Bytes of device memory</source>
        <translation>Bytes des Gerätespeichers</translation>
    </message>
    <message>
        <source>Data that all blocks together read from and write to device memory.</source>
        <translation>Daten, die alle Blöcke zusammen aus dem Gerätespeicher lesen und in ihn schreiben.</translation>
    </message>
    <message>
        <source>sum over global buffers of the bytes that each block touches × blocks</source>
        <translation>Summe über die globalen Puffer: Bytes, die jeder Block berührt × Blöcke</translation>
    </message>
    <message>
        <source>Shared memory per block</source>
        <translation>Shared Memory je Block</translation>
    </message>
    <message>
        <source>Bytes of shared memory that one block allocates. More than the device has rule the schedule out.</source>
        <translation>Bytes an Shared Memory, die ein Block belegt. Mehr, als das Gerät hat, schließt den Ablaufplan aus.</translation>
    </message>
    <message>
        <source>sum of the shared buffers&apos; sizes</source>
        <translation>Summe der Größen der Puffer im Shared Memory</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Thread blocks of the grid.</source>
        <translation>Thread-Blöcke des Gitters.</translation>
    </message>
    <message>
        <source>product of the extents bound to blockIdx</source>
        <translation>Produkt der an blockIdx gebundenen Längen</translation>
    </message>
    <message>
        <source>Threads per block</source>
        <translation>Threads je Block</translation>
    </message>
    <message>
        <source>Threads of one block.</source>
        <translation>Threads eines Blocks.</translation>
    </message>
    <message>
        <source>product of the extents bound to threadIdx</source>
        <translation>Produkt der an threadIdx gebundenen Längen</translation>
    </message>
    <message>
        <source>Virtual threads</source>
        <translation>Virtuelle Threads</translation>
    </message>
    <message>
        <source>Strided parts that one thread works on in turn, which avoids bank conflicts.</source>
        <translation>Versetzte Teile, die ein Thread nacheinander bearbeitet; das vermeidet Bankkonflikte.</translation>
    </message>
    <message>
        <source>product of the extents bound to vthread</source>
        <translation>Produkt der an vthread gebundenen Längen</translation>
    </message>
    <message>
        <source>Lanes in use</source>
        <translation>Genutzte Lanes</translation>
    </message>
    <message>
        <source>Share of a vector register&apos;s lanes that do useful work.</source>
        <translation>Anteil der Lanes eines Vektorregisters, die nützliche Arbeit tun.</translation>
    </message>
    <message>
        <source>vector ÷ (registers that it takes × lanes of a register)</source>
        <translation>Vektor ÷ (Register, die er belegt × Lanes eines Registers)</translation>
    </message>
    <message>
        <source>Cores busy</source>
        <translation>Beschäftigte Kerne</translation>
    </message>
    <message>
        <source>Share of the cores that work, as the longest run of iterations decides when all are done.</source>
        <translation>Anteil der Kerne, die arbeiten, denn die längste Folge von Durchläufen entscheidet, wann alle fertig sind.</translation>
    </message>
    <message>
        <source>parallel iterations ÷ (ceil(parallel iterations ÷ cores) × cores)</source>
        <translation>parallele Durchläufe ÷ (ceil(parallele Durchläufe ÷ Kerne) × Kerne)</translation>
    </message>
    <message>
        <source>Register pressure</source>
        <translation>Registerdruck</translation>
    </message>
    <message>
        <source>1 where everything fits into registers; above 1 the sums are spilled to memory.</source>
        <translation>1, wo alles in Register passt; über 1 werden die Summen in den Speicher ausgelagert.</translation>
    </message>
    <message>
        <source>max(1, registers wanted ÷ registers there)</source>
        <translation>max(1, gebrauchte Register ÷ vorhandene Register)</translation>
    </message>
    <message>
        <source>Warps full</source>
        <translation>Volle Warps</translation>
    </message>
    <message>
        <source>Share of the lanes of a block&apos;s warps that have a thread.</source>
        <translation>Anteil der Lanes in den Warps eines Blocks, die einen Thread haben.</translation>
    </message>
    <message>
        <source>(threads ÷ 32) ÷ ceil(threads ÷ 32)</source>
        <translation>(Threads ÷ 32) ÷ ceil(Threads ÷ 32)</translation>
    </message>
    <message>
        <source>Waves full</source>
        <translation>Volle Wellen</translation>
    </message>
    <message>
        <source>Data reuse</source>
        <translation>Wiederverwendung</translation>
    </message>
    <message>
        <source>Near 1 where a thread computes much with what it loads, near 2 where it loads for every operation.</source>
        <translation>Nahe 1, wo ein Thread viel mit dem rechnet, was er lädt; nahe 2, wo er für jede Operation lädt.</translation>
    </message>
    <message>
        <source>1 + 1 ÷ (1 + FLOP per thread ÷ memory operations per thread)</source>
        <translation>1 + 1 ÷ (1 + FLOP je Thread ÷ Speicherzugriffe je Thread)</translation>
    </message>
    <message>
        <source>Transactions used</source>
        <translation>Genutzte Transaktionen</translation>
    </message>
    <message>
        <source>Share of each memory transaction that the threads use: 1 where neighbours read neighbours.</source>
        <translation>Anteil jeder Speichertransaktion, den die Threads nutzen: 1, wo Nachbarn Nachbarn lesen.</translation>
    </message>
    <message>
        <source>contiguous bytes ÷ bytes of the transactions that they touch</source>
        <translation>zusammenhängende Bytes ÷ Bytes der Transaktionen, die sie berühren</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Seconds of arithmetic, with loads and stores that keep it from going faster.</source>
        <translation>Sekunden der Arithmetik, mit den Lade- und Schreibzugriffen, die sie aufhalten.</translation>
    </message>
    <message>
        <source>GPU: FLOP × reuse × registers ÷ (peak × wave × warp); CPU: steps × cycles of the slowest unit ÷ clock ÷ cores busy</source>
        <translation>GPU: FLOP × Wiederverwendung × Registerdruck ÷ (Spitze × Wellen × Warps); CPU: Schritte × Zyklen der langsamsten Einheit ÷ Takt ÷ beschäftigte Kerne</translation>
    </message>
    <message>
        <source>Loop overhead</source>
        <translation>Schleifenaufwand</translation>
    </message>
    <message>
        <source>Seconds of counting loops, of waiting for additions that follow each other, and of starting the threads.</source>
        <translation>Sekunden für das Zählen der Schleifen, das Warten auf aufeinanderfolgende Additionen und den Start der Threads.</translation>
    </message>
    <message>
        <source>steps × cycles of the loop around a step + parallel regions × start of all threads</source>
        <translation>Schritte × Zyklen der Schleife um einen Schritt + parallele Bereiche × Start aller Threads</translation>
    </message>
    <message>
        <source>Moving data</source>
        <translation>Datenbewegung</translation>
    </message>
    <message>
        <source>bytes ÷ (bandwidth × transactions used)</source>
        <translation>Bytes ÷ (Bandbreite × genutzte Transaktionen)</translation>
    </message>
    <message>
        <source>Launching</source>
        <translation>Kernelstart</translation>
    </message>
    <message>
        <source>Seconds to launch the kernels on a GPU.</source>
        <translation>Sekunden, um die Kernel auf einer GPU zu starten.</translation>
    </message>
    <message>
        <source>measured once on the device</source>
        <translation>einmal auf dem Gerät gemessen</translation>
    </message>
    <message>
        <source>Data type</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>Type in which matrix products and convolutions of a float32 model work; they sum in float32, and the outputs are compared first. Both small types use Tensor Cores on a GPU; on a CPU bfloat16 is faster where the processor multiplies it (AVX512-BF16 of Zen 4, BF16 of Arm, by far the most AMX).</source>
        <translation>Typ, in dem Matrixprodukte und Faltungen eines float32-Modells rechnen; summiert wird in float32, und die Ausgaben werden vorher verglichen. Beide kleinen Typen nutzen auf einer GPU Tensor Cores; auf einer CPU ist bfloat16 schneller, wo der Prozessor es multipliziert (AVX512-BF16 von Zen 4, BF16 von Arm, bei weitem am meisten AMX).</translation>
    </message>
    <message>
        <source>Values of inputs</source>
        <translation>Werte von Eingängen</translation>
    </message>
    <message>
        <source>Inputs of an ONNX model that are given their value for good, such as sr=16000. What the model chooses by them is chosen before it is tuned; of the other branches there are no kernels.</source>
        <translation>Eingänge eines ONNX-Modells, die ihren Wert ein für alle Mal bekommen, etwa sr=16000. Was das Modell nach ihnen wählt, ist gewählt, bevor es optimiert wird; von den anderen Zweigen gibt es keine Kernel.</translation>
    </message>
    <message>
        <source>Start from</source>
        <translation>Beginnen mit</translation>
    </message>
    <message>
        <source>Project that has tuned some of the same kernels, on any device: their best schedules are measured first. They may be another model&apos;s.</source>
        <translation>Projekt, in dem einige derselben Kernel schon optimiert wurden, auf irgendeinem Gerät: Deren beste Ablaufpläne werden zuerst gemessen. Sie dürfen aus einem anderen Modell sein.</translation>
    </message>
    <message>
        <source>Learned model</source>
        <translation>Gelerntes Modell</translation>
    </message>
    <message>
        <source>Cost model that verifies: pacm-draft, pacm, tenset-mlp, tlp, xgb, random, or one of a plugin.</source>
        <translation>Kostenmodell, das prüft: pacm-draft, pacm, tenset-mlp, tlp, xgb, random, oder das eines Plugins.</translation>
    </message>
    <message>
        <source>Pre-trained model</source>
        <translation>Vortrainiertes Modell</translation>
    </message>
    <message>
        <source>File that `pruner train` wrote. Without one the model learns from this run alone; MoA-Pruner starts from one that ships.</source>
        <translation>Datei, die `pruner train` schrieb. Ohne sie lernt das Modell nur aus diesem Lauf; MoA-Pruner beginnt mit einem mitgelieferten.</translation>
    </message>
    <message>
        <source>Address (host:port) of a tracker of TVM&apos;s RPC, whose boards measure instead of this machine.</source>
        <translation>Adresse (host:port) eines RPC-Trackers von TVM, dessen Boards statt dieses Rechners messen.</translation>
    </message>
    <message>
        <source>Apache TVM</source>
        <translation>Apache TVM</translation>
    </message>
    <message>
        <source>Key of the boards</source>
        <translation>Schlüssel der Boards</translation>
    </message>
    <message>
        <source>Which boards of the tracker: the key that they registered with.</source>
        <translation>Welche Boards des Trackers: der Schlüssel, mit dem sie sich gemeldet haben.</translation>
    </message>
    <message>
        <source>Layout of convolutions</source>
        <translation>Anordnung der Faltungen</translation>
    </message>
    <message>
        <source>The model&apos;s own, or channels last (NHWC), which suits most kernels here. Measured: the first candidates of the heaviest kernels are timed in both, and the faster layout is kept with the run. Auto measures where a run is ten minutes or 2000 trials long, or has no limit; shorter ones follow a rule.</source>
        <translation>Die des Modells oder Kanäle zuletzt (NHWC), was den meisten Kerneln hier liegt. Gemessen: Die ersten Kandidaten der schwersten Kernel werden in beiden gemessen, und die schnellere Anordnung bleibt dem Lauf. Auto misst, wo ein Lauf zehn Minuten oder 2000 Versuche lang ist oder keine Grenze hat; kürzere folgen einer Regel.</translation>
    </message>
    <message>
        <source>Rules left out</source>
        <translation>Ausgelassene Regeln</translation>
    </message>
    <message>
        <source>Schedule rules and rewrites of the graph that the run does without; docs/rules.md tells what each does.</source>
        <translation>Ablaufplanregeln und Umformungen des Graphen, ohne die der Lauf auskommt; docs/rules.md sagt, was jede tut.</translation>
    </message>
    <message>
        <source>Trials of a round</source>
        <translation>Versuche einer Runde</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025)</source>
        <translation>Pruner (ASPLOS 2025)</translation>
    </message>
    <message>
        <source>Population</source>
        <translation>Population</translation>
    </message>
    <message>
        <source>Generations</source>
        <translation>Generationen</translation>
    </message>
    <message>
        <source>Generations of the genetic search. The strategy&apos;s own number is 2 for Pruner, 4 for Ansor.</source>
        <translation>Generationen der genetischen Suche. Die eigene Zahl der Strategie ist 2 bei Pruner, 4 bei Ansor.</translation>
    </message>
    <message>
        <source>Mutation</source>
        <translation>Mutation</translation>
    </message>
    <message>
        <source>Probability that an offspring is a mutation rather than a crossover.</source>
        <translation>Wahrscheinlichkeit, dass ein Nachkomme eine Mutation ist und keine Kreuzung.</translation>
    </message>
    <message>
        <source>Draft set</source>
        <translation>Entwurfsmenge</translation>
    </message>
    <message>
        <source>Candidates that the draft hands to verification. Each costs milliseconds to apply and featurise.</source>
        <translation>Kandidaten, die der Entwurf zur Prüfung gibt. Jeder kostet Millisekunden, um angewandt und in Merkmale gefasst zu werden.</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), which takes 512</source>
        <translation>Pruner (ASPLOS 2025), wo es 512 sind</translation>
    </message>
    <message>
        <source>Fresh samples</source>
        <translation>Frische Stichproben</translation>
    </message>
    <message>
        <source>Random candidates that are verified beside the draft set, so that a blind spot of the analyzer shows.</source>
        <translation>Zufällige Kandidaten, die neben der Entwurfsmenge geprüft werden, damit sich ein blinder Fleck des Analysators zeigt.</translation>
    </message>
    <message>
        <source>Rounds of a draft set</source>
        <translation>Runden einer Entwurfsmenge</translation>
    </message>
    <message>
        <source>Rounds of a task for which one draft set serves.</source>
        <translation>Runden einer Aufgabe, für die eine Entwurfsmenge dient.</translation>
    </message>
    <message>
        <source>Random share</source>
        <translation>Zufälliger Anteil</translation>
    </message>
    <message>
        <source>Share of a round that is picked at random from what was verified.</source>
        <translation>Anteil einer Runde, der zufällig aus dem Geprüften genommen wird.</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), ε-greedy</source>
        <translation>Pruner (ASPLOS 2025), ε-greedy</translation>
    </message>
    <message>
        <source>Elite share</source>
        <translation>Anteil der Elite</translation>
    </message>
    <message>
        <source>Share of the initial population that mutates the best candidates measured.</source>
        <translation>Anteil der ersten Population, der aus Mutationen der besten gemessenen Kandidaten besteht.</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>Share of the siamese model that each update of MoA keeps.</source>
        <translation>Anteil des siamesischen Modells, den jede Aktualisierung von MoA behält.</translation>
    </message>
    <message>
        <source>Rounds between adaptations</source>
        <translation>Runden zwischen Anpassungen</translation>
    </message>
    <message>
        <source>Rounds from one adaptation of MoA to the next.</source>
        <translation>Runden von einer Anpassung von MoA bis zur nächsten.</translation>
    </message>
    <message>
        <source>Trials of a task</source>
        <translation>Versuche einer Aufgabe</translation>
    </message>
    <message>
        <source>At most so many trials of each task, and the budget where none is given; 0 is no limit.</source>
        <translation>Höchstens so viele Versuche jeder Aufgabe, und das Budget, wo keines gegeben ist; 0 ist keine Grenze.</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Geduld</translation>
    </message>
    <message>
        <source>Trials of a task without gain after which it is tuned no more; 0 is no limit, or 64 where no budget is given.</source>
        <translation>Versuche einer Aufgabe ohne Gewinn, nach denen sie nicht weiter optimiert wird; 0 ist keine Grenze, oder 64, wo kein Budget gegeben ist.</translation>
    </message>
    <message>
        <source>Limit of a build</source>
        <translation>Grenze einer Übersetzung</translation>
    </message>
    <message>
        <source>Seconds after which the build of a candidate is given up.</source>
        <translation>Sekunden, nach denen die Übersetzung eines Kandidaten aufgegeben wird.</translation>
    </message>
    <message>
        <source>Limit of a run</source>
        <translation>Grenze einer Messung</translation>
    </message>
    <message>
        <source>Seconds after which the measurement of a candidate is given up.</source>
        <translation>Sekunden, nach denen die Messung eines Kandidaten aufgegeben wird.</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>Timed repeats of a candidate that is not abandoned before.</source>
        <translation>Gemessene Wiederholungen eines Kandidaten, der nicht vorher aufgegeben wird.</translation>
    </message>
    <message>
        <source>What a timed call finds in the caches of this machine&apos;s CPU. network: what the rest of an inference leaves there, so that weights, and memory that is written to, come from as far away as in the network. warm: all that the call before left there. cold: neither weights nor outputs.</source>
        <translation>Was ein gemessener Aufruf in den Caches der CPU dieses Rechners vorfindet. network: was der Rest einer Inferenz dort hinterlässt, so dass Gewichte, und Speicher, in den geschrieben wird, von so weit kommen wie im Netz. warm: alles, was der Aufruf davor dort ließ. cold: weder Gewichte noch Ausgaben.</translation>
    </message>
    <message>
        <source>Calibration of earlier runs</source>
        <translation>Kalibrierung früherer Läufe</translation>
    </message>
    <message>
        <source>Outputs compared</source>
        <translation>Verglichene Ausgaben</translation>
    </message>
    <message>
        <source>Which candidates&apos; outputs are compared with those of the untuned kernel: each new best, all, or none.</source>
        <translation>Wessen Ausgaben mit denen des nicht optimierten Kernels verglichen werden: die jedes neuen besten Kandidaten, aller oder keines.</translation>
    </message>
    <message>
        <source>Draft score</source>
        <translation>Wertung des Entwurfs</translation>
    </message>
    <message>
        <source>What the draft model predicts in closed form, before anything is compiled. Comparable between candidates of one task.</source>
        <translation>Was das Entwurfsmodell in geschlossener Form vorhersagt, bevor etwas übersetzt wird. Vergleichbar zwischen Kandidaten einer Aufgabe.</translation>
    </message>
    <message>
        <source>log₂(1 ÷ predicted seconds)</source>
        <translation>log₂(1 ÷ vorhergesagte Sekunden)</translation>
    </message>
    <message>
        <source>Verified score</source>
        <translation>Wertung der Prüfung</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), pattern-aware cost model</source>
        <translation>Pruner (ASPLOS 2025), musterbewusstes Kostenmodell</translation>
    </message>
    <message>
        <source>What verification says about a drafted candidate: what the draft thinks of it, and a pre-trained model where there is one, and, the more a run has measured, what it has learned from that. Only its order within one round means something.</source>
        <translation>Was die Prüfung über einen entworfenen Kandidaten sagt: was der Entwurf von ihm hält, und ein vortrainiertes Modell, wo es eines gibt, und, je mehr ein Lauf gemessen hat, was er daraus gelernt hat. Nur die Ordnung innerhalb einer Runde bedeutet etwas.</translation>
    </message>
    <message>
        <source>(1 − t) · place by draft, or the mean of its and the pre-trained model&apos;s, + t · place by the model of the run, t = n ÷ (n + 1) · N ÷ (N + 20) after n trials of the task and N of all; other strategies: output of the cost model</source>
        <translation>(1 − t) · Platz nach dem Entwurf, oder das Mittel aus seinem und dem des vortrainierten Modells, + t · Platz nach dem Modell des Laufs, t = n ÷ (n + 1) · N ÷ (N + 20) nach n Versuchen der Aufgabe und N von allen; andere Strategien: Ausgabe des Kostenmodells</translation>
    </message>
    <message>
        <source>Rank correlation</source>
        <translation>Rangkorrelation</translation>
    </message>
    <message>
        <source>How well the order of a score follows the order of measured speed: 1 the same, 0 none, −1 reversed. Over several rounds that of the verified score is the mean over them, over several tasks that of the draft&apos;s too.</source>
        <translation>Wie gut die Ordnung einer Wertung der gemessenen Geschwindigkeit folgt: 1 gleich, 0 gar nicht, −1 umgekehrt. Über mehrere Runden ist die der Wertung der Prüfung das Mittel, über mehrere Aufgaben auch die des Entwurfs.</translation>
    </message>
    <message>
        <source>Spearman&apos;s ρ over completely timed candidates</source>
        <translation>Spearmans ρ über die vollständig gemessenen Kandidaten</translation>
    </message>
    <message>
        <source>statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Top-5 recall</source>
        <translation>Top-5-Trefferquote</translation>
    </message>
    <message>
        <source>fastest five in the score&apos;s first five ÷ 5</source>
        <translation>schnellste fünf unter den ersten fünf der Wertung ÷ 5</translation>
    </message>
    <message>
        <source>Fastest in the order</source>
        <translation>Schnellster in der Ordnung</translation>
    </message>
    <message>
        <source>Place of the fastest measured candidate when candidates are ordered by the score.</source>
        <translation>Platz des schnellsten gemessenen Kandidaten, wenn die Kandidaten nach der Wertung geordnet sind.</translation>
    </message>
    <message>
        <source>1 + candidates with a higher score</source>
        <translation>1 + Zahl der Kandidaten mit höherer Wertung</translation>
    </message>
    <message>
        <source>Share of pairs of measured candidates that the model puts in the right order.</source>
        <translation>Anteil der Paare gemessener Kandidaten, die das Modell in die richtige Ordnung bringt.</translation>
    </message>
    <message>
        <source>pairs in order ÷ pairs</source>
        <translation>Paare in richtiger Ordnung ÷ Paare</translation>
    </message>
    <message>
        <source>Best latency over the latency of the model&apos;s first choice: 1 is perfect.</source>
        <translation>Beste Latenz durch die Latenz der ersten Wahl des Modells: 1 ist vollkommen.</translation>
    </message>
    <message>
        <source>best measured ÷ first choice</source>
        <translation>beste gemessene ÷ erste Wahl</translation>
    </message>
    <message>
        <source>LambdaRank loss on measurements that the model has not learned yet.</source>
        <translation>LambdaRank-Verlust auf Messungen, die das Modell noch nicht gelernt hat.</translation>
    </message>
    <message>
        <source>LambdaRank (Burges 2006)</source>
        <translation>LambdaRank (Burges 2006)</translation>
    </message>
    <message>
        <source>How far the model in use has moved from its slowly following twin.</source>
        <translation>Wie weit sich das verwendete Modell von seinem langsam folgenden Zwilling entfernt hat.</translation>
    </message>
    <message>
        <source>norm of the difference of the weights ÷ norm of the weights</source>
        <translation>Norm der Differenz der Gewichte ÷ Norm der Gewichte</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), momentum online adaptation</source>
        <translation>Pruner (ASPLOS 2025), Online-Anpassung mit Momentum</translation>
    </message>
    <message>
        <source>Estimated latency</source>
        <translation>Geschätzte Latenz</translation>
    </message>
    <message>
        <source>Sum over the tasks of calls times best latency, or the untuned kernel&apos;s where nothing measured is faster. An export measures the whole model.</source>
        <translation>Summe über die Aufgaben: Aufrufe mal beste Latenz oder die des unoptimierten Kernels, wo nichts Gemessenes schneller ist. Ein Export misst das ganze Modell.</translation>
    </message>
    <message>
        <source>Σ calls × min(best, untuned)</source>
        <translation>Σ Aufrufe × min(bestes, unoptimiert)</translation>
    </message>
    <message>
        <source>MetaSchedule (NeurIPS 2022)</source>
        <translation>MetaSchedule (NeurIPS 2022)</translation>
    </message>
    <message>
        <source>The whole model as this run&apos;s last export compiled it, on the run&apos;s own device in a process of its own: with what the sum over the kernels lacks, the calls between them and the caches that they share.</source>
        <translation>Das ganze Modell, wie der letzte Export dieses Laufs es übersetzt hat, auf dem Gerät des Laufs in einem eigenen Prozess: mit dem, was der Summe der Kernel fehlt, den Aufrufen dazwischen und den Caches, die sie sich teilen.</translation>
    </message>
    <message>
        <source>The model as TVM compiles it without tuning; before it is measured as a whole, the sum over its kernels.</source>
        <translation>Das Modell, wie TVM es ohne Optimierung übersetzt; bevor es im Ganzen gemessen ist, die Summe seiner Kernel.</translation>
    </message>
    <message>
        <source>How many times faster than untuned. Below 1 no schedule is faster: the kernel stays as it is.</source>
        <translation>Wievielmal so schnell wie unoptimiert. Unter 1 ist kein Ablaufplan schneller: Der Kernel bleibt, wie er ist.</translation>
    </message>
    <message>
        <source>untuned ÷ best</source>
        <translation>unoptimiert ÷ bestes</translation>
    </message>
    <message>
        <source>Share of the estimated end-to-end time.</source>
        <translation>Anteil an der geschätzten Zeit des ganzen Modells.</translation>
    </message>
    <message>
        <source>calls × min(best, untuned) ÷ sum over all tasks</source>
        <translation>Aufrufe × min(bestes, unoptimiert) ÷ Summe über alle Aufgaben</translation>
    </message>
    <message>
        <source>How often one inference calls the kernel.</source>
        <translation>Wie oft eine Inferenz den Kernel aufruft.</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>Arithmetic per second of a candidate; of a task, that of its best one.</source>
        <translation>Rechenoperationen je Sekunde eines Kandidaten; bei einer Aufgabe die ihres besten.</translation>
    </message>
    <message>
        <source>What the device allows: an argument comes from the nearest level of memory that holds what is touched between two uses of it, by the rest of an inference or, with warm caches, by the kernel alone.</source>
        <translation>Was das Gerät zulässt: Ein Argument kommt aus der nächsten Speicherebene, die fasst, was zwischen zwei seiner Verwendungen berührt wird, vom Rest einer Inferenz oder, mit warmen Caches, vom Kernel allein.</translation>
    </message>
    <message>
        <source>min(peak, for each level of memory FLOP × its bandwidth ÷ bytes that come from it or through it)</source>
        <translation>min(Spitze, für jede Speicherebene FLOP × ihre Bandbreite ÷ Bytes, die aus ihr oder durch sie kommen)</translation>
    </message>
    <message>
        <source>Candidates that the draft model scored, in closed form wherever their sketch has one.</source>
        <translation>Kandidaten, die das Entwurfsmodell bewertet hat, in geschlossener Form, wo ihre Skizze eine hat.</translation>
    </message>
    <message>
        <source>Explored candidates whose sketch has no closed form: they were read from their applied schedules, which takes a thousand times as long.</source>
        <translation>Erkundete Kandidaten, deren Skizze keine geschlossene Form hat: Sie wurden aus ihren angewandten Ablaufplänen gelesen, was tausendmal so lange dauert.</translation>
    </message>
    <message>
        <source>Pruner Studio, draft</source>
        <translation>Pruner Studio, Entwurf</translation>
    </message>
    <message>
        <source>Pruner (ASPLOS 2025), evaluation</source>
        <translation>Pruner (ASPLOS 2025), Auswertung</translation>
    </message>
    <message>
        <source>Peak of one core</source>
        <translation>Spitze eines Kerns</translation>
    </message>
    <message>
        <source>Arithmetic per second that a short benchmark reached on one core, or one multiprocessor of a GPU, alone.</source>
        <translation>Rechenleistung, die ein kurzer Benchmark auf einem Kern oder einem Multiprozessor einer GPU allein erreicht hat.</translation>
    </message>
    <message>
        <source>Bandwidth of one core</source>
        <translation>Bandbreite eines Kerns</translation>
    </message>
    <message>
        <source>Bytes per second that one core, or one multiprocessor of a GPU, alone read from memory.</source>
        <translation>Bytes je Sekunde, die ein Kern oder ein Multiprozessor einer GPU allein aus dem Speicher gelesen hat.</translation>
    </message>
    <message>
        <source>Arithmetic per second of a GPU&apos;s Tensor Cores in float16 with sums in float32.</source>
        <translation>Rechenleistung der Tensor Cores einer GPU in float16 mit Summen in float32.</translation>
    </message>
    <message>
        <source>Physical cores that kernels run on; of a GPU its multiprocessors.</source>
        <translation>Physische Kerne, auf denen Kernel laufen; bei einer GPU ihre Multiprozessoren.</translation>
    </message>
    <message>
        <source>told by the device, or from the data sheet</source>
        <translation>vom Gerät angegeben oder aus dem Datenblatt</translation>
    </message>
    <message>
        <source>Time of one fixed kernel before the round is measured. Its drift tells how busy the machine is, and how far latencies of two tasks can be compared.</source>
        <translation>Zeit eines festen Kernels, bevor die Runde gemessen wird. Wie sie schwankt, sagt, wie beschäftigt der Rechner ist und wie weit sich Latenzen zweier Aufgaben vergleichen lassen.</translation>
    </message>
    <message>
        <source>The whole model in ONNX Runtime on the same device with the same threads, in a process of its own. Of several measurements the fastest is kept.</source>
        <translation>Das ganze Modell in ONNX Runtime auf demselben Gerät mit denselben Threads, in einem eigenen Prozess. Von mehreren Messungen gilt die schnellste.</translation>
    </message>
    <message>
        <source>The whole model in PyTorch, run eagerly on the same device with the same threads, in a process of its own. Of several measurements the fastest is kept.</source>
        <translation>Das ganze Modell in PyTorch, ohne Übersetzen ausgeführt, auf demselben Gerät mit denselben Threads, in einem eigenen Prozess. Von mehreren Messungen gilt die schnellste.</translation>
    </message>
    <message>
        <source>torch.compile</source>
        <translation>torch.compile</translation>
    </message>
    <message>
        <source>measured by Pruner Studio when a run exports</source>
        <translation>von Pruner Studio gemessen, wenn ein Lauf exportiert</translation>
    </message>
    <message>
        <source>The whole model in LiteRT, TensorFlow Lite&apos;s runtime, with the same threads, in a process of its own. Of several measurements the fastest is kept.</source>
        <translation>Das ganze Modell in LiteRT, der Laufzeit von TensorFlow Lite, mit ebenso vielen Threads, in einem eigenen Prozess. Von mehreren Messungen gilt die schnellste.</translation>
    </message>
    <message>
        <source>One call of the kernel as TVM compiles it without tuning; sums over weights of 1 MB and more go along their rows, many times faster.</source>
        <translation>Ein Aufruf des Kernels, wie TVM ihn ohne Optimierung übersetzt; Summen über Gewichte von 1 MB und mehr gehen an deren Zeilen entlang, um ein Vielfaches schneller.</translation>
    </message>
    <message>
        <source>What the best candidate reaches of what the device allows at its intensity. Far above 100 % the profile is too low: it was probably measured while other programs worked.</source>
        <translation>Was der beste Kandidat von dem erreicht, was das Gerät bei seiner Intensität zulässt. Weit über 100 % ist das Profil zu niedrig: Es wurde wohl gemessen, während andere Programme arbeiteten.</translation>
    </message>
    <message>
        <source>FLOP ÷ best latency ÷ roof</source>
        <translation>FLOP ÷ beste Latenz ÷ Dach</translation>
    </message>
    <message>
        <source>Trials until a run was as fast as the run that set the goal.</source>
        <translation>Versuche, bis ein Lauf so schnell war wie der, der das Ziel setzt.</translation>
    </message>
    <message>
        <source>trials at the first point of its curve at or below the goal</source>
        <translation>Versuche am ersten Punkt seiner Kurve auf oder unter dem Ziel</translation>
    </message>
    <message>
        <source>How many times sooner a run reached the goal than the run that set it.</source>
        <translation>Wievielmal früher ein Lauf das Ziel erreichte als der, der es setzt.</translation>
    </message>
    <message>
        <source>time to goal of the run that set it ÷ time to goal</source>
        <translation>Zeit zum Ziel des Laufs, der es setzt ÷ Zeit zum Ziel</translation>
    </message>
    <message>
        <source>Candidates that the learned cost model scored.</source>
        <translation>Kandidaten, die das gelernte Kostenmodell bewertet hat.</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Measured candidates that compiled, ran, and were not found to compute something else.</source>
        <translation>Gemessene Kandidaten, die sich übersetzen ließen, liefen und nicht als falsch rechnend auffielen.</translation>
    </message>
    <message>
        <source>measured − failed</source>
        <translation>gemessen − fehlgeschlagen</translation>
    </message>
    <message>
        <source>Working time of a round in which the draft model explored and drafted.</source>
        <translation>Arbeitszeit einer Runde, in der das Entwurfsmodell erkundet und entworfen hat.</translation>
    </message>
    <message>
        <source>Working time of a round in which candidates were applied, featurised and scored by the learned model.</source>
        <translation>Arbeitszeit einer Runde, in der Kandidaten angewandt, in Merkmale gefasst und vom gelernten Modell bewertet wurden.</translation>
    </message>
    <message>
        <source>Time spent compiling the candidates of a round, added up over the builders, which work side by side.</source>
        <translation>Zeit für das Übersetzen der Kandidaten einer Runde, summiert über alle Übersetzer, die nebeneinander arbeiten.</translation>
    </message>
    <message>
        <source>Σ of the builds&apos; seconds</source>
        <translation>Σ der Sekunden beim Übersetzen</translation>
    </message>
    <message>
        <source>Time spent running the candidates of a round, repeats and checks included.</source>
        <translation>Zeit für das Ausführen der Kandidaten einer Runde, mit Wiederholungen und Prüfungen.</translation>
    </message>
    <message>
        <source>Σ of the runs&apos; seconds</source>
        <translation>Σ der Sekunden beim Ausführen</translation>
    </message>
    <message>
        <source>Working time of a round in which the learned model was trained on what had been measured.</source>
        <translation>Arbeitszeit einer Runde, in der das gelernte Modell mit dem Gemessenen trainiert wurde.</translation>
    </message>
    <message>
        <source>Σ of its calls in one inference, median of the repeats</source>
        <translation>Σ ihrer Aufrufe in einer Inferenz, Median der Wiederholungen</translation>
    </message>
    <message>
        <source>measured by Pruner Studio at the export</source>
        <translation>von Pruner Studio beim Export gemessen</translation>
    </message>
    <message>
        <source>Floating-point operations of the statement that computes most, over one call of the kernel. On a GPU special functions and divisions count four times.</source>
        <translation>Gleitkommaoperationen der Anweisung, die am meisten rechnet, über einen Aufruf des Kernels. Auf einer GPU zählen besondere Funktionen und Divisionen vierfach.</translation>
    </message>
    <message>
        <source>The whole model in PyTorch, compiled by torch.compile, on the same device with the same threads, in a process of its own; compiling does not count. Of several measurements the fastest is kept.</source>
        <translation>Das ganze Modell in PyTorch, von torch.compile übersetzt, auf demselben Gerät mit denselben Threads, in einem eigenen Prozess; das Übersetzen zählt nicht mit. Von mehreren Messungen gilt die schnellste.</translation>
    </message>
    <message>
        <source>All calls of the function in one inference, in the exported library; where that ran on a board or nowhere, by what tuning measured of a call.</source>
        <translation>Alle Aufrufe der Funktion in einer Inferenz, in der exportierten Bibliothek; lief sie auf einem Board oder nirgends, nach dem, was das Optimieren von einem Aufruf gemessen hat.</translation>
    </message>
    <message>
        <source>Share of the time of all functions in one inference of the exported library.</source>
        <translation>Anteil an der Zeit aller Funktionen in einer Inferenz der exportierten Bibliothek.</translation>
    </message>
    <message>
        <source>time of the function ÷ sum over all functions</source>
        <translation>Zeit der Funktion ÷ Summe über alle Funktionen</translation>
    </message>
    <message>
        <source>The search goes on without it. If most fail, run `pruner doctor`: it tries the compiler.</source>
        <translation>Die Suche geht ohne ihn weiter. Schlagen die meisten fehl, rufen Sie `pruner doctor` auf: Es probiert den Übersetzer aus.</translation>
    </message>
    <message>
        <source>Close other programs that keep the machine busy, or give a new run more time: --set build_timeout_s=120.</source>
        <translation>Schließen Sie andere Programme, die den Rechner beschäftigen, oder geben Sie einem neuen Lauf mehr Zeit: --set build_timeout_s=120.</translation>
    </message>
    <message>
        <source>The search goes on without it. If it happens often, send the log to the makers of TVM.</source>
        <translation>Die Suche geht ohne ihn weiter. Geschieht es oft, senden Sie das Protokoll an die Entwickler von TVM.</translation>
    </message>
    <message>
        <source>Close other programs that need much memory. If most fail, tune on a machine that has more: a build may take half of it.</source>
        <translation>Schließen Sie andere Programme, die viel Speicher brauchen. Schlagen die meisten fehl, optimieren Sie auf einem Rechner mit mehr davon: Das Übersetzen darf die Hälfte nehmen.</translation>
    </message>
    <message>
        <source>What was compiled does not fit this machine: run `pruner doctor`, and compare the target with the device.</source>
        <translation>Was übersetzt wurde, passt nicht zu diesem Rechner: Rufen Sie `pruner doctor` auf und vergleichen Sie das Ziel mit dem Gerät.</translation>
    </message>
    <message>
        <source>The device refused the kernel; the search goes on without it. If most fail, run `pruner doctor`: it runs a kernel.</source>
        <translation>Das Gerät hat den Kernel abgelehnt; die Suche geht ohne ihn weiter. Schlagen die meisten fehl, rufen Sie `pruner doctor` auf: Es führt einen Kernel aus.</translation>
    </message>
    <message>
        <source>Such a schedule is slow; the search goes on without it. If most fail, close other programs, or give a new run more time: --set run_timeout_s=30.</source>
        <translation>Ein solcher Ablaufplan ist langsam; die Suche geht ohne ihn weiter. Schlagen die meisten fehl, schließen Sie andere Programme, oder geben Sie einem neuen Lauf mehr Zeit: --set run_timeout_s=30.</translation>
    </message>
    <message>
        <source>The search goes on without it. If most of a task fail, freeze the task and send the log to the makers.</source>
        <translation>Die Suche geht ohne ihn weiter. Schlagen die meisten einer Aufgabe fehl, frieren Sie die Aufgabe ein und senden Sie das Protokoll an die Entwickler.</translation>
    </message>
    <message>
        <source>It is never taken for the best nor exported. Send the log and the trace to the makers: no schedule may change what is computed.</source>
        <translation>Er gilt nie als der beste und wird nicht exportiert. Senden Sie Protokoll und Trace an die Entwickler: Kein Ablaufplan darf ändern, was berechnet wird.</translation>
    </message>
    <message>
        <source>Its outputs could not be compared, so it does not count. If most fail, run `pruner doctor`.</source>
        <translation>Seine Ausgaben ließen sich nicht vergleichen, deshalb zählt er nicht. Schlagen die meisten fehl, rufen Sie `pruner doctor` auf.</translation>
    </message>
    <message>
        <source>Close other programs that need much memory, or import the model with smaller input shapes: a candidate may take half of the machine&apos;s.</source>
        <translation>Schließen Sie andere Programme, die viel Speicher brauchen, oder importieren Sie das Modell mit kleineren Eingaben: Ein Kandidat darf die Hälfte des Speichers nehmen.</translation>
    </message>
    <message>
        <source>The search goes on without it. If most fail, run `pruner doctor` and send the log to the makers.</source>
        <translation>Die Suche geht ohne ihn weiter. Schlagen die meisten fehl, rufen Sie `pruner doctor` auf und senden Sie das Protokoll an die Entwickler.</translation>
    </message>
    <message>
        <source>FLOP ÷ best latency</source>
        <translation>FLOP ÷ beste Latenz</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>Intensität</translation>
    </message>
    <message>
        <source>Operations per byte of the kernel&apos;s arguments: low means bound by memory, high by arithmetic.</source>
        <translation>Operationen je Byte der Argumente des Kernels: niedrig heißt vom Speicher begrenzt, hoch von der Arithmetik.</translation>
    </message>
    <message>
        <source>FLOP ÷ bytes of all arguments</source>
        <translation>FLOP ÷ Bytes aller Argumente</translation>
    </message>
    <message>
        <source>Roofline (Williams 2009)</source>
        <translation>Roofline (Williams 2009)</translation>
    </message>
    <message>
        <source>Roof</source>
        <translation>Dach</translation>
    </message>
    <message>
        <source>Candidates that were built and run, failed ones included.</source>
        <translation>Kandidaten, die gebaut und ausgeführt wurden, fehlgeschlagene eingeschlossen.</translation>
    </message>
    <message>
        <source>Explored</source>
        <translation>Erkundet</translation>
    </message>
    <message>
        <source>Drafted</source>
        <translation>Entworfen</translation>
    </message>
    <message>
        <source>The best and most different of the explored ones, which are applied to the kernel.</source>
        <translation>Die besten und verschiedensten der erkundeten, die auf den Kernel angewandt werden.</translation>
    </message>
    <message>
        <source>Working time until a run was as fast as the run that set the goal.</source>
        <translation>Arbeitszeit, bis ein Lauf so schnell war wie der Lauf, der das Ziel setzte.</translation>
    </message>
    <message>
        <source>first point of its curve at or below the goal</source>
        <translation>erster Punkt seiner Kurve auf oder unter dem Ziel</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Factors by which the draft&apos;s time components are corrected, fitted to what was measured on this device. None where the plain sum ranks as well.</source>
        <translation>Faktoren, mit denen die Teile der vorhergesagten Zeit korrigiert werden, angepasst an das auf diesem Gerät Gemessene. Keine, wo die einfache Summe ebenso gut ordnet.</translation>
    </message>
    <message>
        <source>non-negative least squares of the relative error</source>
        <translation>nichtnegative kleinste Quadrate des relativen Fehlers</translation>
    </message>
    <message>
        <source>What `pruner tune --target` takes</source>
        <translation>Was `pruner tune --target` annimmt</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>Peak, one core</source>
        <translation>Spitze, ein Kern</translation>
    </message>
    <message>
        <source>Memory, one core</source>
        <translation>Speicher, ein Kern</translation>
    </message>
    <message>
        <source>Tensor Cores</source>
        <translation>Tensor Cores</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Figures are</source>
        <translation>Angaben sind</translation>
    </message>
    <message>
        <source>Known devices</source>
        <translation>Bekannte Geräte</translation>
    </message>
    <message>
        <source>what each can do at best; a run may tune for any of them</source>
        <translation>was jedes bestenfalls leistet; ein Lauf kann für jedes optimieren</translation>
    </message>
    <message>
        <source>Looking for devices…</source>
        <translation>Geräte werden gesucht…</translation>
    </message>
    <message>
        <source>Arithmetic per second that a short benchmark reached on all cores.</source>
        <translation>Gleitkommaoperationen je Sekunde, die ein kurzer Benchmark auf allen Kernen erreichte.</translation>
    </message>
    <message>
        <source>measured, or from the data sheet</source>
        <translation>gemessen oder aus dem Datenblatt</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Bytes per second that a short benchmark read from a memory level.</source>
        <translation>Bytes je Sekunde, die ein kurzer Benchmark aus einer Speicherebene las.</translation>
    </message>
    <message>
        <source>Spread of the repeats of one fixed kernel, timed before a round is measured: differences between candidates that are smaller say nothing.</source>
        <translation>Spanne der Wiederholungen eines festen Kernels, gemessen vor einer Runde: Kleinere Unterschiede zwischen Kandidaten besagen nichts.</translation>
    </message>
    <message>
        <source>largest ÷ smallest − 1</source>
        <translation>größte ÷ kleinste − 1</translation>
    </message>
    <message>
        <source>smallest of the repeats</source>
        <translation>kleinste der Wiederholungen</translation>
    </message>
    <message>
        <source>median of the repeats of one inference</source>
        <translation>Median der Wiederholungen einer Inferenz</translation>
    </message>
    <message>
        <source>Share of the multiprocessors that work in the average wave of blocks, and of their schedulers that have a warp.</source>
        <translation>Anteil der Multiprozessoren, die in der durchschnittlichen Welle von Blöcken arbeiten, und ihrer Scheduler, die einen Warp haben.</translation>
    </message>
    <message>
        <source>blocks ÷ (ceil(blocks ÷ slots) × slots) × min(1, warps of a multiprocessor ÷ 4)</source>
        <translation>Blöcke ÷ (ceil(Blöcke ÷ Plätze) × Plätze) × min(1, Warps eines Multiprozessors ÷ 4)</translation>
    </message>
    <message>
        <source>Seconds in which memory is read and written; on a GPU what is read again comes from the second-level cache.</source>
        <translation>Sekunden, in denen Speicher gelesen und geschrieben wird; auf einer GPU kommt aus dem Cache der zweiten Stufe, was noch einmal gelesen wird.</translation>
    </message>
    <message>
        <source>Moving lines</source>
        <translation>Zeilen bewegen</translation>
    </message>
    <message>
        <source>Seconds in which warps of a GPU move lines of 128 bytes between registers and shared memory or the first-level cache.</source>
        <translation>Sekunden, in denen Warps einer GPU Zeilen von 128 Byte zwischen Registern und gemeinsamem Speicher oder dem Cache der ersten Stufe bewegen.</translation>
    </message>
    <message>
        <source>lines ÷ (multiprocessors × clock × share that is busy)</source>
        <translation>Zeilen ÷ (Multiprozessoren × Takt × beschäftigter Anteil)</translation>
    </message>
    <message>
        <source>Pruner Studio, GPU analyzer</source>
        <translation>Pruner Studio, GPU-Analyse</translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>Warten auf Speicher</translation>
    </message>
    <message>
        <source>Seconds in which blocks of threads on a GPU wait for what they fetch, round after round.</source>
        <translation>Sekunden, in denen Blöcke von Threads auf einer GPU auf das warten, was sie holen, Runde um Runde.</translation>
    </message>
    <message>
        <source>rounds × waves of blocks × 0.15 µs</source>
        <translation>Runden × Wellen von Blöcken × 0,15 µs</translation>
    </message>
    <message>
        <source>Candidates that are measured in a round of a task. The strategy&apos;s own number is 10 for Pruner, 64 for MetaSchedule; a machine that builds more at a time measures as many.</source>
        <translation>Kandidaten, die in einer Runde einer Aufgabe gemessen werden. Die eigene Zahl der Strategie ist 10 bei Pruner, 64 bei MetaSchedule; ein Rechner, der mehr auf einmal baut, misst so viele.</translation>
    </message>
    <message>
        <source>Candidates that outlive a generation of the genetic search. The strategy&apos;s own number is 1536 of each sketch for Pruner, which scores four times as many, and 2048 for Ansor.</source>
        <translation>Kandidaten, die eine Generation der genetischen Suche überleben. Die eigene Zahl der Strategie ist 1536 je Sketch bei Pruner, das viermal so viele bewertet, und 2048 bei Ansor.</translation>
    </message>
    <message>
        <source>The draft begins with the corrections that earlier runs left for this device, and leaves some to later ones; only of runs that measure as in a network. Comparisons of strategies do without, so that no run profits from another.</source>
        <translation>Der Entwurf beginnt mit den Korrekturen, die frühere Läufe für dieses Gerät hinterlassen haben, und hinterlässt späteren welche; nur bei Läufen, die wie im Netz messen. Vergleiche von Strategien verzichten darauf, damit kein Lauf von einem anderen profitiert.</translation>
    </message>
    <message>
        <source>How many of the five fastest candidates that a round measured are among the five that the score puts first; only of rounds that measured more than five.</source>
        <translation>Wie viele der fünf schnellsten Kandidaten, die eine Runde gemessen hat, unter den fünf sind, die die Bewertung voranstellt; nur von Runden, die mehr als fünf gemessen haben.</translation>
    </message>
    <message>
        <source>Candidates that were built and run, failed ones included. A task that is untried waits for its first one and keeps its untuned kernel; where that takes long, an export has the draft&apos;s best schedule, for a GPU one that the draft expects in half of the time.</source>
        <translation>Kandidaten, die gebaut und ausgeführt wurden, fehlgeschlagene eingeschlossen. Eine unversuchte Aufgabe wartet noch auf ihren ersten und behält ihren nicht optimierten Kernel; wo der lange braucht, nimmt ein Export den besten Ablaufplan des Entwurfs, für eine GPU einen, für den der Entwurf die Hälfte der Zeit erwartet.</translation>
    </message>
    <message>
        <source>measured by Pruner Studio when a run begins or exports</source>
        <translation>von Pruner Studio gemessen, wenn ein Lauf beginnt oder exportiert</translation>
    </message>
    <message>
        <source>Time that the run has worked, over all its sessions; pauses and the time between sessions do not count.</source>
        <translation>Zeit, die der Lauf gearbeitet hat, über alle Sitzungen; Pausen und die Zeit zwischen Sitzungen zählen nicht.</translation>
    </message>
    <message>
        <source>Σ over sessions of (end − start − pauses)</source>
        <translation>Σ über die Sitzungen von (Ende − Beginn − Pausen)</translation>
    </message>
    <message>
        <source>Pruner Studio, clock of the engine</source>
        <translation>Pruner Studio, Uhr der Engine</translation>
    </message>
    <message>
        <source>Time to the end of the budget at the pace of the last rounds, at most twelve; whichever of its limits comes first.</source>
        <translation>Zeit bis zum Ende des Budgets im Tempo der letzten, höchstens zwölf Runden; was zuerst kommt, gilt.</translation>
    </message>
    <message>
        <source>min(budget in time − worked, trials left × seconds a trial)</source>
        <translation>min(Zeitbudget − gearbeitet, verbleibende Versuche × Sekunden je Versuch)</translation>
    </message>
    <message>
        <source>Trials that did not compile, load or run, or whose outputs were wrong.</source>
        <translation>Versuche, die sich nicht übersetzen, laden oder ausführen ließen oder deren Ausgaben falsch waren.</translation>
    </message>
    <message>
        <source>trials − valid</source>
        <translation>Versuche − gültige</translation>
    </message>
    <message>
        <source>MFLOP</source>
        <translation>MFLOP</translation>
    </message>
    <message>
        <source>Floating-point operations of one call of the kernel, in millions.</source>
        <translation>Gleitkommaoperationen eines Aufrufs des Kernels, in Millionen.</translation>
    </message>
    <message>
        <source>operations of the kernel&apos;s loops ÷ 10⁶</source>
        <translation>Operationen der Schleifen des Kernels ÷ 10⁶</translation>
    </message>
    <message>
        <source>TVM, estimate over the unscheduled kernel</source>
        <translation>TVM, Schätzung am Kernel ohne Ablaufplan</translation>
    </message>
    <message>
        <source>median of the repeats</source>
        <translation>Median der Wiederholungen</translation>
    </message>
    <message>
        <source>measured by Pruner Studio</source>
        <translation>von Pruner Studio gemessen</translation>
    </message>
    <message>
        <source>One call of the fastest valid candidate of the task that was timed completely.</source>
        <translation>Ein Aufruf des schnellsten gültigen Kandidaten der Aufgabe, der vollständig gemessen wurde.</translation>
    </message>
    <message>
        <source>smallest median of the repeats</source>
        <translation>kleinster Median der Wiederholungen</translation>
    </message>
    <message>
        <source>One call of the candidate, alone on the device.</source>
        <translation>Ein Aufruf des Kandidaten, allein auf dem Gerät.</translation>
    </message>
    <message>
        <source>±</source>
        <translation>±</translation>
    </message>
    <message>
        <source>Half the spread of a candidate&apos;s repeats over its median.</source>
        <translation>Halbe Spannweite der Wiederholungen eines Kandidaten durch ihren Median.</translation>
    </message>
    <message>
        <source>(largest − smallest) ÷ 2 ÷ median</source>
        <translation>(größte − kleinste) ÷ 2 ÷ Median</translation>
    </message>
    <message>
        <source>cache read</source>
        <translation>Cache lesen</translation>
    </message>
    <message>
        <source>cache write</source>
        <translation>Cache schreiben</translation>
    </message>
    <message>
        <source>Next part of the page</source>
        <translation>Nächster Teil der Seite</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>Tab</translation>
    </message>
    <message>
        <source>Enter, Space</source>
        <translation>Eingabetaste, Leertaste</translation>
    </message>
    <message>
        <source>Press the button that the keyboard is at</source>
        <translation>Die Schaltfläche drücken, auf der die Tastatur steht</translation>
    </message>
    <message>
        <source>Shift+↑ ↓</source>
        <translation>Umschalt+↑ ↓</translation>
    </message>
    <message>
        <source>Select rows of a table</source>
        <translation>Zeilen einer Tabelle auswählen</translation>
    </message>
    <message>
        <source>Menu, Shift+F10</source>
        <translation>Menü, Umschalt+F10</translation>
    </message>
    <message>
        <source>What can be done with a row of a table, or with a plot</source>
        <translation>Was mit der Zeile einer Tabelle oder mit einem Diagramm getan werden kann</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Open the row of a table, choose or open the point of a plot</source>
        <translation>Zeile einer Tabelle öffnen, Punkt eines Diagramms wählen oder öffnen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>&amp;Draw or hide</source>
        <translation>&amp;Zeichnen oder verbergen</translation>
    </message>
    <message>
        <source>Choose the point of a plot, draw or hide the run of a row</source>
        <translation>Punkt eines Diagramms wählen, Lauf einer Zeile zeichnen oder verbergen</translation>
    </message>
    <message>
        <source>← →</source>
        <translation>← →</translation>
    </message>
    <message>
        <source>Step through a replay, move a slider, go along a curve</source>
        <translation>Ablauf schrittweise zeigen, Schieber bewegen, einer Kurve folgen</translation>
    </message>
    <message>
        <source>↑ ↓</source>
        <translation>↑ ↓</translation>
    </message>
    <message>
        <source>Next curve of a plot</source>
        <translation>Nächste Kurve eines Diagramms</translation>
    </message>
    <message>
        <source>+ - 0</source>
        <translation>+ - 0</translation>
    </message>
    <message>
        <source>Zoom a plot, show all of it</source>
        <translation>Diagramm vergrößern und verkleinern, ganz zeigen</translation>
    </message>
    <message>
        <source>F8, Shift+F8</source>
        <translation>F8, Umschalt+F8</translation>
    </message>
    <message>
        <source>Next or previous difference of two schedules</source>
        <translation>Nächster oder voriger Unterschied zweier Ablaufpläne</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>On every page</source>
        <translation>Auf jeder Seite</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Copy log</source>
        <translation>Protokoll kopieren</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Sort by</source>
        <translation>&amp;Sortieren nach</translation>
    </message>
    <message>
        <source>Colum&amp;ns</source>
        <translation>Spa&amp;lten</translation>
    </message>
    <message>
        <source>&amp;Fit the columns</source>
        <translation>Spalten &amp;einpassen</translation>
    </message>
    <message>
        <source>Copy the &amp;table</source>
        <translation>&amp;Tabelle kopieren</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>The model {path} is not there any more, and the project holds no copy of it.</source>
        <translation>Das Modell {path} ist nicht mehr da, und das Projekt enthält keine Kopie davon.</translation>
    </message>
    <message>
        <source>Put the file back, or choose the model on the Start page and tune it into the same project.</source>
        <translation>Legen Sie die Datei zurück, oder wählen Sie das Modell auf der Startseite und optimieren Sie es in dasselbe Projekt.</translation>
    </message>
    <message>
        <source>The project&apos;s copy of the model could not be written to {place}: {why}.</source>
        <translation>Die Kopie des Modells aus dem Projekt ließ sich nicht nach {place} schreiben: {why}.</translation>
    </message>
    <message>
        <source>Make room there.</source>
        <translation>Schaffen Sie dort Platz.</translation>
    </message>
    <message>
        <source>The runs of {path} are here already.</source>
        <translation>Die Läufe von {path} sind schon hier.</translation>
    </message>
    <message>
        <source>Choose another project.</source>
        <translation>Wählen Sie ein anderes Projekt.</translation>
    </message>
    <message>
        <source>{path} was moved, removed or replaced: its runs are shown no more.</source>
        <translation>{path} wurde verschoben, entfernt oder ersetzt: seine Läufe werden nicht mehr gezeigt.</translation>
    </message>
    <message>
        <source>Add it again where it is there.</source>
        <translation>Fügen Sie es wieder hinzu, wo es da ist.</translation>
    </message>
    <message>
        <source>A job is running: tune when it has ended.</source>
        <translation>Ein Auftrag läuft: Optimieren Sie, wenn er beendet ist.</translation>
    </message>
    <message>
        <source>First or last point of a curve</source>
        <translation>Erster oder letzter Punkt einer Kurve</translation>
    </message>
    <message>
        <source>Give every open dimension a size.</source>
        <translation>Geben Sie jeder offenen Dimension eine Größe.</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Pos1, Ende</translation>
    </message>
    <message>
        <source>Name a project file.</source>
        <translation>Nennen Sie eine Projektdatei.</translation>
    </message>
    <message>
        <source>Not found.</source>
        <translation>Nicht gefunden.</translation>
    </message>
    <message>
        <source>Only a task of the run that is at work can be steered.</source>
        <translation>Nur eine Aufgabe des Laufs, der gerade arbeitet, lässt sich steuern.</translation>
    </message>
    <message>
        <source>Taken up when this round has ended.</source>
        <translation>Wird befolgt, wenn diese Runde zu Ende ist.</translation>
    </message>
    <message>
        <source>The draft set of the round before was used again.</source>
        <translation>Die Entwurfsmenge der Runde davor wurde noch einmal benutzt.</translation>
    </message>
    <message>
        <source>and no more than {time}</source>
        <translation>und höchstens {time}</translation>
    </message>
    <message>
        <source>caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>exactly {time}</source>
        <translation>genau {time}</translation>
    </message>
    <message>
        <source>features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>fingerprint</source>
        <translation>Fingerabdruck</translation>
    </message>
    <message>
        <source>from a data sheet</source>
        <translation>aus einem Datenblatt</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>limits of the GPU</source>
        <translation>Grenzen der GPU</translation>
    </message>
    <message>
        <source>memory transaction</source>
        <translation>Speicherzugriff</translation>
    </message>
    <message>
        <source>peak of the Tensor Cores</source>
        <translation>Spitze der Tensor Cores</translation>
    </message>
    <message>
        <source>registers of a multiprocessor</source>
        <translation>Register eines Multiprozessors</translation>
    </message>
    <message>
        <source>registers of a thread</source>
        <translation>Register eines Threads</translation>
    </message>
    <message>
        <source>shared memory of a block</source>
        <translation>Shared Memory eines Blocks</translation>
    </message>
    <message>
        <source>shared memory of a multiprocessor</source>
        <translation>Shared Memory eines Multiprozessors</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>wird gestoppt</translation>
    </message>
    <message>
        <source>the best {shown} of {all} candidates</source>
        <translation>die besten {shown} von {all} Kandidaten</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>threads of a block</source>
        <translation>Threads eines Blocks</translation>
    </message>
    <message>
        <source>threads of a multiprocessor</source>
        <translation>Threads eines Multiprozessors</translation>
    </message>
    <message>
        <source>threads of a warp</source>
        <translation>Threads eines Warps</translation>
    </message>
    <message>
        <source>vector registers</source>
        <translation>Vektorregister</translation>
    </message>
    <message>
        <source>warp schedulers</source>
        <translation>Warp-Scheduler</translation>
    </message>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Folder for projects</source>
        <translation>Ordner für Projekte</translation>
    </message>
    <message>
        <source>Why the folder cannot be used</source>
        <translation>Warum der Ordner nicht verwendet werden kann</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>New projects are offered to be kept there.</source>
        <translation>Neue Projekte werden dort vorgeschlagen.</translation>
    </message>
    <message>
        <source>Another language is used when the window is started again.</source>
        <translation>Eine andere Sprache gilt, wenn das Fenster neu gestartet wird.</translation>
    </message>
    <message>
        <source>each new best</source>
        <translation>jeder neue beste</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>the model&apos;s</source>
        <translation>die des Modells</translation>
    </message>
    <message>
        <source>channels last</source>
        <translation>Kanäle zuletzt</translation>
    </message>
    <message>
        <source>as in the network</source>
        <translation>wie im Netz</translation>
    </message>
    <message>
        <source>warm</source>
        <translation>warm</translation>
    </message>
    <message>
        <source>cold</source>
        <translation>kalt</translation>
    </message>
    <message>
        <source>the strategy&apos;s own</source>
        <translation>wie die Strategie</translation>
    </message>
    <message>
        <source>default {value}</source>
        <translation>Vorgabe {value}</translation>
    </message>
    <message>
        <source>There is no pre-trained model {path}.</source>
        <translation>Es gibt kein vortrainiertes Modell {path}.</translation>
    </message>
    <message>
        <source>There is no project {path}.</source>
        <translation>Es gibt kein Projekt {path}.</translation>
    </message>
    <message>
        <source>Pre-trained models (*.safetensors);;All files (*)</source>
        <translation>Vortrainierte Modelle (*.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Leave out {rule}</source>
        <translation>{rule} auslassen</translation>
    </message>
    <message>
        <source>{name} ({latency}) by {share}</source>
        <translation>{name} ({latency}) um {share}</translation>
    </message>
    <message>
        <source>The tuned model (measured {latency}) is slower than {others}.</source>
        <translation>Das optimierte Modell (gemessen {latency}) ist langsamer als {others}.</translation>
    </message>
    <message>
        <source>The tuned model (estimated {latency}) is slower than {others}.</source>
        <translation>Das optimierte Modell (geschätzt {latency}) ist langsamer als {others}.</translation>
    </message>
    <message>
        <source>Tune it longer: “Resume” or “Go on…” in the bar on top.</source>
        <translation>Länger optimieren: „Fortsetzen“ oder „Weiter…“ in der Leiste oben.</translation>
    </message>
    <message>
        <source>Tune it longer (“Resume” or “Go on…” in the bar on top), above all what takes most of the time: {tasks}.</source>
        <translation>Länger optimieren („Fortsetzen“ oder „Weiter…“ in der Leiste oben), vor allem, was die meiste Zeit braucht: {tasks}.</translation>
    </message>
    <message>
        <source>Not the fastest</source>
        <translation>Nicht das Schnellste</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>langsamer</translation>
    </message>
    <message>
        <source>Show the tasks</source>
        <translation>Die Aufgaben zeigen</translation>
    </message>
    <message>
        <source>The code of a plugin is run on this machine with your rights, by runs and views of schedules. Tick what you trust.</source>
        <translation>Der Code eines Plugins wird auf diesem Rechner mit Ihren Rechten ausgeführt, von Läufen und von Ansichten der Ablaufpläne. Nur ankreuzen, was vertrauenswürdig ist.</translation>
    </message>
    <message>
        <source>Plugins</source>
        <translation>Plugins</translation>
    </message>
    <message>
        <source>Add a plugin file…</source>
        <translation>Plugin-Datei hinzufügen…</translation>
    </message>
    <message>
        <source>Choose a plugin</source>
        <translation>Plugin wählen</translation>
    </message>
    <message>
        <source>Python files (*.py);;All files (*)</source>
        <translation>Python-Dateien (*.py);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Run the code of {name}</source>
        <translation>Den Code von {name} ausführen</translation>
    </message>
    <message>
        <source>Consent to run the code of the plugin {name}</source>
        <translation>Zustimmung, den Code des Plugins {name} auszuführen</translation>
    </message>
    <message>
        <source>Leave out {name}</source>
        <translation>{name} weglassen</translation>
    </message>
    <message>
        <source>Tick the plugins whose code may be run, or leave them out.</source>
        <translation>Die Plugins ankreuzen, deren Code ausgeführt werden darf, oder sie weglassen.</translation>
    </message>
    <message>
        <source>The plugin {path} is not there any more.</source>
        <translation>Das Plugin {path} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>The device is being measured</source>
        <translation>Das Gerät wird vermessen</translation>
    </message>
    <message>
        <source>Arithmetic, caches and memory are being measured: {time} so far.</source>
        <translation>Rechenleistung, Caches und Speicher werden gemessen: bisher {time}.</translation>
    </message>
    <message>
        <source>Some seconds. Later runs reckon with the new figures; those of this project keep theirs.</source>
        <translation>Einige Sekunden. Spätere Läufe rechnen mit den neuen Angaben; die dieses Projekts behalten ihre.</translation>
    </message>
    <message>
        <source>A job is running: it and the measurement would make each other slower.</source>
        <translation>Ein Auftrag läuft: er und die Messung würden einander verlangsamen.</translation>
    </message>
    <message>
        <source>Not measured yet: the first run on this device measures it, or do it now.</source>
        <translation>Noch nicht gemessen: der erste Lauf auf diesem Gerät misst es, oder jetzt messen.</translation>
    </message>
    <message>
        <source>Other programs worked meanwhile. It is measured again, when they do not, by the next run.</source>
        <translation>Andere Programme haben währenddessen gearbeitet. Der nächste Lauf misst noch einmal, wenn sie es nicht tun.</translation>
    </message>
    <message>
        <source>The arrow keys move it.</source>
        <translation>Die Pfeiltasten verschieben sie.</translation>
    </message>
    <message>
        <source>candidate {number} of {task}</source>
        <translation>Kandidat {number} von {task}</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is not the address of a tracker.</source>
        <translation>„{0}“ ist keine Adresse eines Trackers.</translation>
    </message>
    <message>
        <source>Write host:port, such as {0}.</source>
        <translation>Schreiben Sie Rechner:Port, etwa {0}.</translation>
    </message>
    <message>
        <source>Temporary files</source>
        <translation>Temporäre Dateien</translation>
    </message>
    <message>
        <source>{0}, {1} free</source>
        <translation>{0}, {1} frei</translation>
    </message>
    <message>
        <source>Free 1 GB, or set TMPDIR.</source>
        <translation>Geben Sie 1 GB frei, oder setzen Sie TMPDIR.</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Use Python 3.10 to 3.13.</source>
        <translation>Verwenden Sie Python 3.10 bis 3.13.</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>nicht installiert</translation>
    </message>
    <message>
        <source>TVM ffi</source>
        <translation>TVM ffi</translation>
    </message>
    <message>
        <source>Install the one that is needed: pip install &quot;apache-tvm=={0}&quot;.</source>
        <translation>Installieren Sie die nötige Version: pip install &quot;apache-tvm=={0}&quot;.</translation>
    </message>
    <message>
        <source>Install the matching one: pip install &quot;apache-tvm-ffi&gt;=0.1.14.post0,&lt;0.1.15&quot;.</source>
        <translation>Installieren Sie die passende Fassung: pip install &quot;apache-tvm-ffi&gt;=0.1.14.post0,&lt;0.1.15&quot;.</translation>
    </message>
    <message>
        <source>Install it for comparison and faster import of ONNX files: pip install onnxruntime.</source>
        <translation>Installieren Sie es, um zu vergleichen und ONNX-Dateien schneller einzulesen: pip install onnxruntime.</translation>
    </message>
    <message>
        <source>It is older than what is needed. Update it: pip install &quot;{0}&gt;={1}&quot;.</source>
        <translation>Es ist älter als nötig. Aktualisieren Sie es: pip install &quot;{0}&gt;={1}&quot;.</translation>
    </message>
    <message>
        <source>Install it anew: pip install --force-reinstall &quot;{0}&gt;={1}&quot;.</source>
        <translation>Installieren Sie es neu: pip install --force-reinstall &quot;{0}&gt;={1}&quot;.</translation>
    </message>
    <message>
        <source>Install it: pip install &quot;{0}&gt;={1}&quot;.</source>
        <translation>Installieren Sie es: pip install &quot;{0}&gt;={1}&quot;.</translation>
    </message>
    <message>
        <source>{0}, cannot be loaded: {1}</source>
        <translation>{0}, lässt sich nicht laden: {1}</translation>
    </message>
    <message>
        <source>{0}, cores: {1}, threads: {2}</source>
        <translation>{0}, Kerne: {1}, Threads: {2}</translation>
    </message>
    <message>
        <source>Vector unit</source>
        <translation>Vektoreinheit</translation>
    </message>
    <message>
        <source>{0} bits ({1})</source>
        <translation>{0} Bit ({1})</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>LLVM</source>
        <translation>LLVM</translation>
    </message>
    <message>
        <source>Reinstall the dependencies: `pip install --force-reinstall .` in the folder of Pruner Studio.</source>
        <translation>Installieren Sie die Abhängigkeiten neu: `pip install --force-reinstall .` im Ordner von Pruner Studio.</translation>
    </message>
    <message>
        <source>One kernel</source>
        <translation>Ein Kernel</translation>
    </message>
    <message>
        <source>Linker</source>
        <translation>Linker</translation>
    </message>
    <message>
        <source>Free some space, or set TMPDIR.</source>
        <translation>Geben Sie Platz frei, oder setzen Sie TMPDIR.</translation>
    </message>
    <message>
        <source>Make it writable, or set TMPDIR.</source>
        <translation>Machen Sie den Ordner beschreibbar, oder setzen Sie TMPDIR.</translation>
    </message>
    <message>
        <source>NVIDIA driver</source>
        <translation>NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>none answers</source>
        <translation>keiner antwortet</translation>
    </message>
    <message>
        <source>Only needed to tune for a GPU that is here.</source>
        <translation>Nur nötig, um für eine GPU dieses Rechners zu optimieren.</translation>
    </message>
    <message>
        <source>{0}, up to CUDA {1}.{2}</source>
        <translation>{0}, bis CUDA {1}.{2}</translation>
    </message>
    <message>
        <source>CUDA compiler</source>
        <translation>CUDA-Compiler</translation>
    </message>
    <message>
        <source>One kernel on the GPU</source>
        <translation>Ein Kernel auf der GPU</translation>
    </message>
    <message>
        <source>{0} of the time ({1})</source>
        <translation>{0} der Zeit ({1})</translation>
    </message>
    <message>
        <source>{0} is arithmetic: {1}FLOP, which the device&apos;s peak of {2} could do in {3}.</source>
        <translation>{0} ist Rechnen: {1}FLOP, die das Gerät mit seiner Spitze von {2} in {3} schaffen könnte.</translation>
    </message>
    <message>
        <source>Not valid on this device: {0}.</source>
        <translation>Auf diesem Gerät nicht gültig: {0}.</translation>
    </message>
    <message>
        <source>loops are unrolled up to {0} steps</source>
        <translation>Schleifen sind bis zu {0} Schritten abgerollt</translation>
    </message>
    <message>
        <source>no others than the schedule writes out are unrolled</source>
        <translation>abgerollt sind nur die, die der Ablaufplan ausschreibt</translation>
    </message>
    <message>
        <source>the schedule breaks a limit of the device or cannot be built</source>
        <translation>Der Ablaufplan verletzt eine Grenze des Geräts oder lässt sich nicht bauen</translation>
    </message>
    <message>
        <source>Its sketch has no closed form: the draft model counts on the lowered kernel and keeps no parts.</source>
        <translation>Seine Skizze hat keine geschlossene Form: Das Entwurfsmodell zählt am fertigen Kernel und behält keine Teile.</translation>
    </message>
    <message>
        <source>Nothing stands out.</source>
        <translation>Nichts fällt auf.</translation>
    </message>
    <message>
        <source>Measured {0}, {1} the prediction: what costs the rest is nothing that the draft model counts.</source>
        <translation>Gemessen wurden {0}, {1} der Vorhersage: Was den Rest kostet, zählt das Entwurfsmodell nicht.</translation>
    </message>
    <message>
        <source>{0} goes into loops and their start: {1} steps, {2}.</source>
        <translation>{0} geht in Schleifen und ihren Beginn: {1} Schritte, {2}.</translation>
    </message>
    <message>
        <source>A thread keeps {0} values, {1} the {2} registers that it may have: the rest is spilled.</source>
        <translation>Ein Thread hält {0} Werte, {1} der {2} Register, die er haben darf: Der Rest wird ausgelagert.</translation>
    </message>
    <message>
        <source>A thread computes {0} operations for each access to memory, which makes arithmetic {1} as long.</source>
        <translation>Ein Thread rechnet {0} Operationen je Speicherzugriff; das Rechnen dauert dadurch {1} so lang.</translation>
    </message>
    <message>
        <source>Only {0} of a memory transaction of {1} bytes is used: the innermost contiguous run is too short.</source>
        <translation>Von einer Speichertransaktion von {1} Byte werden nur {0} genutzt: Das innerste zusammenhängende Stück ist zu kurz.</translation>
    </message>
    <message>
        <source>{0} moves {1} at {2}.</source>
        <translation>{0} bewegt {1} mit {2}.</translation>
    </message>
    <message>
        <source>{0} moves lines of 128 bytes between registers and shared memory or cache, one at a time: threads side by side reach for memory that is far apart, or little is computed of what is loaded.</source>
        <translation>{0} bewegt Zeilen von 128 Byte zwischen Registern und gemeinsamem Speicher oder Cache, eine nach der anderen: Threads nebeneinander greifen nach Speicher, der weit auseinander liegt, oder aus dem Geladenen wird wenig berechnet.</translation>
    </message>
    <message>
        <source>{0} waits for memory, round after round: longer tiles of the reduction would fetch more at a time.</source>
        <translation>{0} wartet auf Speicher, Runde um Runde: längere Kacheln der Reduktion würden mehr auf einmal holen.</translation>
    </message>
    <message>
        <source>{0} starts kernels: the work of each is short.</source>
        <translation>{0} startet Kernel: Die Arbeit jedes einzelnen ist kurz.</translation>
    </message>
    <message>
        <source>{0} threads in a block, {1} are allowed</source>
        <translation>{0} Threads in einem Block, erlaubt sind {1}</translation>
    </message>
    <message>
        <source>The innermost loop is not vectorised: one of {0} lanes works.</source>
        <translation>Die innerste Schleife ist nicht vektorisiert: Eine von {0} Lanes arbeitet.</translation>
    </message>
    <message>
        <source>Vectors are {0} full: {1} elements on registers of {2} lanes.</source>
        <translation>Vektoren sind zu {0} gefüllt: {1} Elemente auf Registern von {2} Lanes.</translation>
    </message>
    <message>
        <source>Nothing runs in parallel: one of {0} cores works.</source>
        <translation>Nichts läuft parallel: Einer von {0} Kernen arbeitet.</translation>
    </message>
    <message>
        <source>The cores are {0} busy: {1} parallel iterations do not share out evenly over {2} cores.</source>
        <translation>Die Kerne sind zu {0} beschäftigt: {1} parallele Durchläufe verteilen sich nicht gleichmäßig auf {2} Kerne.</translation>
    </message>
    <message>
        <source>{0} accumulators and their operands want {1} the {2} vector registers: sums are spilled to memory in every step.</source>
        <translation>{0} Akkumulatoren und ihre Operanden brauchen {1} der {2} Vektorregister: In jedem Schritt werden Summen in den Speicher ausgelagert.</translation>
    </message>
    <message>
        <source>A step loads {0} times for {1} vector multiply-adds: loads set the pace, not arithmetic. A larger register tile would use each load more often.</source>
        <translation>Ein Schritt lädt {0}-mal für {1} Vektor-Multiplikationen mit Addition: Das Laden gibt den Takt vor, nicht das Rechnen. Eine größere Registerkachel würde jede Ladung öfter nutzen.</translation>
    </message>
    <message>
        <source>{0} waits for {1}: {2} come into {3}, which holds {4}. Smaller tiles inside would be reused before they are replaced.</source>
        <translation>{0} wartet auf {1}: {2} kommen in {3}, der {4} fasst. Kleinere Kacheln innen würden wiederverwendet, bevor sie verdrängt werden.</translation>
    </message>
    <message>
        <source>{0} bytes of shared memory for a block, {1} are there</source>
        <translation>{0} Byte Shared Memory für einen Block, vorhanden sind {1}</translation>
    </message>
    <message>
        <source>Reinstall it; `pruner doctor` tells more. Nothing measured is lost.</source>
        <translation>Installieren Sie sie neu; `pruner doctor` sagt mehr. Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>Free some space, or set TMPDIR to a folder that may be written.</source>
        <translation>Geben Sie Platz frei, oder setzen Sie TMPDIR auf einen Ordner, in den geschrieben werden darf.</translation>
    </message>
    <message>
        <source>Free some space, then try again: nothing measured is lost.</source>
        <translation>Schaffen Sie Platz und versuchen Sie es noch einmal: nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>Raise the limit of open files (ulimit -n), then try again: nothing measured is lost.</source>
        <translation>Heben Sie die Grenze für offene Dateien an (ulimit -n) und versuchen Sie es noch einmal: nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>Close other programs, or raise the limits (ulimit -a), then try again: nothing measured is lost.</source>
        <translation>Schließen Sie andere Programme oder heben Sie die Grenzen an (ulimit -a) und versuchen Sie es noch einmal: nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>Check the permissions, or choose another place.</source>
        <translation>Prüfen Sie die Rechte, oder wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <translation>Wählen Sie einen kürzeren Namen.</translation>
    </message>
    <message>
        <source>Remove that link, or choose another place.</source>
        <translation>Entfernen Sie diese Verknüpfung, oder wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>Check the disk, then try again: nothing measured is lost.</source>
        <translation>Prüfen Sie den Datenträger und versuchen Sie es noch einmal: nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>Der Speicher reicht nicht aus.</translation>
    </message>
    <message>
        <source>Close other programs, or raise the limit (ulimit -v).</source>
        <translation>Schließen Sie andere Programme, oder heben Sie die Grenze an (ulimit -v).</translation>
    </message>
    <message>
        <source>The name {0} is not UTF-8.</source>
        <translation>Der Name {0} ist nicht in UTF-8.</translation>
    </message>
    <message>
        <source>Rename the file or its folder.</source>
        <translation>Benennen Sie die Datei oder ihren Ordner um.</translation>
    </message>
    <message>
        <source>This user has no home folder.</source>
        <translation>Dieser Benutzer hat kein Benutzerverzeichnis.</translation>
    </message>
    <message>
        <source>Set HOME to a folder that may be written.</source>
        <translation>Setzen Sie HOME auf einen Ordner, in den geschrieben werden darf.</translation>
    </message>
    <message>
        <source>{0}, which leads back to itself.</source>
        <translation>{0}, was zu sich selbst zurückführt.</translation>
    </message>
    <message>
        <source>A library that is needed cannot be loaded: {0}.</source>
        <translation>Eine Bibliothek, die gebraucht wird, lässt sich nicht laden: {0}.</translation>
    </message>
    <message>
        <source>converting an exported program needs the package onnxscript</source>
        <translation>Um ein exportiertes Programm umzuwandeln, braucht es das Paket onnxscript</translation>
    </message>
    <message>
        <source>runs {0} files only</source>
        <translation>führt nur {0}-Dateien aus</translation>
    </message>
    <message>
        <source>It crashed with signal {0}.</source>
        <translation>Es stürzte mit Signal {0} ab.</translation>
    </message>
    <message>
        <source>It failed: {0}</source>
        <translation>Es schlug fehl: {0}</translation>
    </message>
    <message>
        <source>It did not finish within {0} s.</source>
        <translation>Es wurde in {0} s nicht fertig.</translation>
    </message>
    <message>
        <source>It printed what is no result: {0}</source>
        <translation>Was es schrieb, ist kein Ergebnis: {0}</translation>
    </message>
    <message>
        <source>Measured {0}, {1} as fast as predicted: what the draft model counts costs less here.</source>
        <translation>Gemessen {0}, {1} so schnell wie vorhergesagt: Was das Entwurfsmodell zählt, kostet hier weniger.</translation>
    </message>
    <message>
        <source>TVM could not compile the model: {0}</source>
        <translation>TVM konnte das Modell nicht übersetzen: {0}</translation>
    </message>
    <message>
        <source>The tuned library computes other outputs than the untuned one: {0}.</source>
        <translation>Die optimierte Bibliothek berechnet andere Ausgaben als die nicht optimierte: {0}.</translation>
    </message>
    <message>
        <source>Nothing was written. A schedule is wrong: tune again with every candidate checked.</source>
        <translation>Nichts wurde geschrieben. Ein Ablaufplan ist falsch: Optimieren Sie noch einmal und lassen Sie jeden Kandidaten prüfen.</translation>
    </message>
    <message>
        <source>every output is constant: that they agree says little</source>
        <translation>Jede Ausgabe ist konstant: Dass sie übereinstimmen, sagt wenig</translation>
    </message>
    <message>
        <source>{0} of {1} whole numbers of output {2} differ, as rounding may decide</source>
        <translation>{0} von {1} ganzen Zahlen der Ausgabe {2} weichen ab, wie es am Runden liegen kann</translation>
    </message>
    <message>
        <source>There is no contender &quot;{0}&quot; to leave out.</source>
        <translation>Es gibt keinen Gegner „{0}“, der wegbleiben könnte.</translation>
    </message>
    <message>
        <source>There are {0}.</source>
        <translation>Es gibt {0}.</translation>
    </message>
    <message>
        <source>{0} overflows in {1}: its outputs are no numbers any more.</source>
        <translation>{0} läuft in {1} über: Seine Ausgaben sind keine Zahlen mehr.</translation>
    </message>
    <message>
        <source>Use --dtype bfloat16, which reaches as far as float32, or leave the option out.</source>
        <translation>Verwenden Sie --dtype bfloat16, das so weit reicht wie float32, oder lassen Sie die Angabe weg.</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}.</source>
        <translation>{0} lässt sich nicht lesen: {1}.</translation>
    </message>
    <message>
        <source>A folder with {0} is needed.</source>
        <translation>Es braucht einen Ordner mit {0}.</translation>
    </message>
    <message>
        <source>{0} is {1}, which cannot be replaced by a bundle.</source>
        <translation>{0} ist {1} und lässt sich nicht durch ein Bündel ersetzen.</translation>
    </message>
    <message>
        <source>a disk of its own</source>
        <translation>ein eigener Datenträger</translation>
    </message>
    <message>
        <source>the current folder</source>
        <translation>der aktuelle Ordner</translation>
    </message>
    <message>
        <source>Name a new folder in it.</source>
        <translation>Nennen Sie einen neuen Ordner darin.</translation>
    </message>
    <message>
        <source>{0} holds something that is not a bundle.</source>
        <translation>{0} enthält etwas, das kein Bündel ist.</translation>
    </message>
    <message>
        <source>Choose a new or an empty folder.</source>
        <translation>Wählen Sie einen neuen oder einen leeren Ordner.</translation>
    </message>
    <message>
        <source>{0} is a link to what is not there.</source>
        <translation>{0} ist ein Verweis auf etwas, das nicht da ist.</translation>
    </message>
    <message>
        <source>Make that folder, or choose another one.</source>
        <translation>Legen Sie diesen Ordner an, oder wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>{0} cannot be written: {1}.</source>
        <translation>{0} lässt sich nicht schreiben: {1}.</translation>
    </message>
    <message>
        <source>Warps of {0} are {1} full; threads in a block: {2}.</source>
        <translation>Warps von {0} sind zu {1} gefüllt; Threads in einem Block: {2}.</translation>
    </message>
    <message>
        <source>The device is {0} busy: {1} × {2} threads (blocks × threads in each) do not fill its {3} multiprocessors.</source>
        <translation>Das Gerät ist zu {0} beschäftigt: {1} × {2} Threads (Blöcke × Threads in jedem) füllen seine {3} Multiprozessoren nicht.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The bundle could not be written: {0}.</source>
        <translation>Das Bündel ließ sich nicht schreiben: {0}.</translation>
    </message>
    <message>
        <source>no space left</source>
        <translation>kein Platz mehr</translation>
    </message>
    <message>
        <source>Move it elsewhere, or choose another folder.</source>
        <translation>Verschieben Sie es, oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{0} holds {1}, which is not of the bundle and would be lost.</source>
        <translation>{0} enthält {1}; das gehört nicht zum Bündel und ginge verloren.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is neither a model file nor a built-in workload.</source>
        <translation>„{0}“ ist weder eine Modelldatei noch eine eingebaute Rechnung.</translation>
    </message>
    <message>
        <source>Files end in {0}; workloads are {1}, such as matmul:512,512,512.</source>
        <translation>Dateien enden auf {0}; Rechnungen sind {1}, etwa matmul:512,512,512.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is a project, no model.</source>
        <translation>„{0}“ ist ein Projekt, kein Modell.</translation>
    </message>
    <message>
        <source>`pruner resume` goes on with its run.</source>
        <translation>`pruner resume` setzt seinen Lauf fort.</translation>
    </message>
    <message>
        <source>{0} holds what PyTorch saves of a model: its weights, and no program.</source>
        <translation>{0} enthält, was PyTorch von einem Modell speichert: seine Gewichte, und kein Programm.</translation>
    </message>
    <message>
        <source>Export the model: `torch.export.save(torch.export.export(model.eval(), (x,)), &quot;model.pt2&quot;)`.</source>
        <translation>Exportieren Sie das Modell: `torch.export.save(torch.export.export(model.eval(), (x,)), &quot;model.pt2&quot;)`.</translation>
    </message>
    <message>
        <source>{0} is of no kind of model that can be read.</source>
        <translation>{0} ist von keiner Art von Modell, die gelesen werden kann.</translation>
    </message>
    <message>
        <source>Files end in {0}; other frameworks write .onnx, too.</source>
        <translation>Dateien enden auf {0}; auch andere Programme schreiben .onnx.</translation>
    </message>
    <message>
        <source>{0} is empty.</source>
        <translation>{0} ist leer.</translation>
    </message>
    <message>
        <source>Export the model again.</source>
        <translation>Exportieren Sie das Modell noch einmal.</translation>
    </message>
    <message>
        <source>{0} has {1} MB, too large for this machine&apos;s memory.</source>
        <translation>{0} hat {1} MB, zu viel für den Speicher dieses Rechners.</translation>
    </message>
    <message>
        <source>Export it with another version of the operators, or without that operator.</source>
        <translation>Exportieren Sie es mit einer anderen Version der Operatoren oder ohne diesen Operator.</translation>
    </message>
    <message>
        <source>Give it a shape, such as --input {0}={1} with a number for every name.</source>
        <translation>Eine Form angeben, etwa --input {0}={1} mit einer Zahl für jeden Namen.</translation>
    </message>
    <message>
        <source>It is fixed: leave it out, or export the model for another one.</source>
        <translation>Sie ist fest: weglassen oder das Modell für eine andere exportieren.</translation>
    </message>
    <message>
        <source>The model has no input {0}.</source>
        <translation>Das Modell hat keine Eingabe {0}.</translation>
    </message>
    <message>
        <source>Its inputs are: {0}.</source>
        <translation>Seine Eingaben sind: {0}.</translation>
    </message>
    <message>
        <source>Input {0} has a dimension that is computed, {1}.</source>
        <translation>Eingabe {0} hat eine Dimension, die berechnet wird: {1}.</translation>
    </message>
    <message>
        <source>Export the model with a name of its own for that dimension, or with a fixed shape.</source>
        <translation>Exportieren Sie das Modell mit einem eigenen Namen für diese Dimension oder mit fester Form.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; has no fixed tensor shape; the engine measures fixed shapes only.</source>
        <translation>„{0}“ hat keine feste Tensorform; die Engine misst nur feste Formen.</translation>
    </message>
    <message>
        <source>Export the model with fixed shapes.</source>
        <translation>Exportieren Sie das Modell mit festen Formen.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; of shape {1} has no elements.</source>
        <translation>„{0}“ der Form {1} hat keine Elemente.</translation>
    </message>
    <message>
        <source>Give a larger shape.</source>
        <translation>Geben Sie eine größere Form an.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; of shape {1} does not fit into memory.</source>
        <translation>„{0}“ der Form {1} passt nicht in den Speicher.</translation>
    </message>
    <message>
        <source>Give a smaller shape.</source>
        <translation>Geben Sie eine kleinere Form an.</translation>
    </message>
    <message>
        <source>Input {0} has shape {1}, {2} does not fit.</source>
        <translation>Eingabe {0} hat die Form {1}; {2} passt nicht.</translation>
    </message>
    <message>
        <source>Input {0} has a dynamic shape {1}.</source>
        <translation>Eingabe {0} hat eine veränderliche Form {1}.</translation>
    </message>
    <message>
        <source>Input &quot;{0}&quot; is not a tensor of known rank.</source>
        <translation>Eingabe „{0}“ ist kein Tensor von bekanntem Rang.</translation>
    </message>
    <message>
        <source>Only tensors can be tuned.</source>
        <translation>Nur Tensoren lassen sich optimieren.</translation>
    </message>
    <message>
        <source>Without it boards of {0} need gcc. {1}</source>
        <translation>Ohne ihn brauchen Boards mit {0} gcc. {1}</translation>
    </message>
    <message>
        <source>Linker for boards</source>
        <translation>Linker für Boards</translation>
    </message>
    <message>
        <source>none for {0}</source>
        <translation>keiner für {0}</translation>
    </message>
    <message>
        <source>{0} waits for {1}, and none of it where most is computed: what is copied before or written behind does not fit {2}, which holds {3}.</source>
        <translation>{0} wartet auf {1}, und nichts davon dort, wo am meisten gerechnet wird: was vorher kopiert oder danach geschrieben wird, passt nicht in {2}, der {3} fasst.</translation>
    </message>
    <message>
        <source>The {0} library did not run on a board of {1}. {2}</source>
        <translation>Die Bibliothek {0} lief auf keinem Board von {1}. {2}</translation>
    </message>
    <message>
        <source>The session ended there: its processor lacks an instruction of the library, or the board was restarted.</source>
        <translation>Die Sitzung endete dort: Dem Prozessor fehlt ein Befehl der Bibliothek, oder das Board wurde neu gestartet.</translation>
    </message>
    <message>
        <source>See with `pruner boards` that one answers, and try again.</source>
        <translation>Sehen Sie mit `pruner boards` nach, ob eines antwortet, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>not run: an inference takes about {0}, and the outputs are those of {1}</source>
        <translation>nicht ausgeführt: Eine Inferenz dauert etwa {0}, und die Ausgaben sind die von {1}</translation>
    </message>
    <message>
        <source>Name boards that run it with --rpc and --key (`pruner serve` lends one).</source>
        <translation>Nennen Sie mit --rpc und --key Boards, auf denen sie läuft (`pruner serve` stellt eines bereit).</translation>
    </message>
    <message>
        <source>not timed: it runs here, not on the board</source>
        <translation>nicht gemessen: läuft hier, nicht auf dem Board</translation>
    </message>
    <message>
        <source>Give shapes within what it was exported for.</source>
        <translation>Geben Sie Formen an, für die es exportiert wurde.</translation>
    </message>
    <message>
        <source>Dimension {0} is given both {1} and {2}.</source>
        <translation>Dimension {0} ist sowohl {1} als auch {2} angegeben.</translation>
    </message>
    <message>
        <source>Give it one value.</source>
        <translation>Geben Sie ihr einen Wert.</translation>
    </message>
    <message>
        <source>Dimension {0} of input {1} is {2}, and the model was exported for {3}.</source>
        <translation>Dimension {0} der Eingabe {1} ist {2}; das Modell wurde für {3} exportiert.</translation>
    </message>
    <message>
        <source>{0} or more</source>
        <translation>{0} oder mehr</translation>
    </message>
    <message>
        <source>Give a value in that range, or export the model for another one.</source>
        <translation>Geben Sie einen Wert in diesem Bereich an, oder exportieren Sie das Modell für einen anderen.</translation>
    </message>
    <message>
        <source>Dimension {0} of input {1} follows from {2}, which no input has.</source>
        <translation>Dimension {0} der Eingabe {1} folgt aus {2}, das keine Eingabe hat.</translation>
    </message>
    <message>
        <source>Dimension {0} of input {1} cannot be {2}{3}.</source>
        <translation>Dimension {0} der Eingabe {1} kann nicht {2} sein{3}.</translation>
    </message>
    <message>
        <source> where {0} is {1}</source>
        <translation>, wo {0} {1} ist</translation>
    </message>
    <message>
        <source>Give it a value that {0} has for a whole number {1}.</source>
        <translation>Geben Sie ihr einen Wert, den {0} für eine ganze Zahl {1} hat.</translation>
    </message>
    <message>
        <source>{0} is an operator of {1}, which is not known.</source>
        <translation>{0} ist ein Operator von {1}, das nicht bekannt ist.</translation>
    </message>
    <message>
        <source>Export the model with ONNX&apos;s own operators.</source>
        <translation>Exportieren Sie das Modell mit den Operatoren von ONNX selbst.</translation>
    </message>
    <message>
        <source>{0} keeps weights in {1}, which cannot be read.</source>
        <translation>{0} hält Gewichte in {1}, das sich nicht lesen lässt.</translation>
    </message>
    <message>
        <source>It belongs beside the model: copy it there.</source>
        <translation>Die Datei gehört neben das Modell: kopieren Sie sie dorthin.</translation>
    </message>
    <message>
        <source>Export the model to ONNX again, and check that the file was copied completely.</source>
        <translation>Exportieren Sie das Modell noch einmal nach ONNX, und prüfen Sie, ob die Datei vollständig kopiert wurde.</translation>
    </message>
    <message>
        <source>The model has operators that cannot be imported: {0}.</source>
        <translation>Das Modell hat Operatoren, die nicht eingelesen werden können: {0}.</translation>
    </message>
    <message>
        <source>Convert it with built-in operators alone, or to ONNX.</source>
        <translation>Wandeln Sie es nur mit eingebauten Operatoren um, oder nach ONNX.</translation>
    </message>
    <message>
        <source>The model has tensors whose shape is known only when it runs.</source>
        <translation>Das Modell hat Tensoren, deren Form erst beim Ausführen bekannt ist.</translation>
    </message>
    <message>
        <source>{0}.tflite is not a TensorFlow Lite model, or it is cut off.</source>
        <translation>{0}.tflite ist kein Modell von TensorFlow Lite, oder die Datei ist abgeschnitten.</translation>
    </message>
    <message>
        <source>Convert the model again.</source>
        <translation>Wandeln Sie das Modell noch einmal um.</translation>
    </message>
    <message>
        <source>{0} has more than 2 GB of weights, which cannot be imported.</source>
        <translation>{0} hat mehr als 2 GB an Gewichten, die nicht eingelesen werden können.</translation>
    </message>
    <message>
        <source>Convert it in parts.</source>
        <translation>Wandeln Sie es in Teilen um.</translation>
    </message>
    <message>
        <source>{0}.tflite is broken: it names tensors or operators that it does not have.</source>
        <translation>{0}.tflite ist beschädigt: Die Datei nennt Tensoren oder Operatoren, die sie nicht hat.</translation>
    </message>
    <message>
        <source>{0} has two inputs that are called &quot;{1}&quot;.</source>
        <translation>{0} hat zwei Eingaben, die „{1}“ heißen.</translation>
    </message>
    <message>
        <source>Give them names of their own.</source>
        <translation>Geben Sie ihnen eigene Namen.</translation>
    </message>
    <message>
        <source>{0}.tflite is cut off or broken.</source>
        <translation>{0}.tflite ist abgeschnitten oder beschädigt.</translation>
    </message>
    <message>
        <source>Input &quot;{0}&quot; is of a type that cannot be tuned.</source>
        <translation>Die Eingabe „{0}“ ist von einem Typ, der sich nicht optimieren lässt.</translation>
    </message>
    <message>
        <source>Convert it with tensors of numbers.</source>
        <translation>Wandeln Sie es mit Tensoren aus Zahlen um.</translation>
    </message>
    <message>
        <source>The model has a loop of more than {0} operators, written out.</source>
        <translation>Das Modell hat eine Schleife, die ausgeschrieben mehr als {0} Operatoren hat.</translation>
    </message>
    <message>
        <source>Convert it with a fixed number of steps.</source>
        <translation>Wandeln Sie es mit einer festen Zahl von Schritten um.</translation>
    </message>
    <message>
        <source>The model has a loop that ends by what it computes.</source>
        <translation>Das Modell hat eine Schleife, deren Ende davon abhängt, was sie berechnet.</translation>
    </message>
    <message>
        <source>{0} is not valid TVMScript: {1}.</source>
        <translation>{0} ist kein gültiges TVMScript: {1}.</translation>
    </message>
    <message>
        <source>Write it as `mod.script()` prints a module; imports may stand above it.</source>
        <translation>Schreiben Sie es so, wie `mod.script()` ein Modul ausgibt; Importe dürfen darüber stehen.</translation>
    </message>
    <message>
        <source>Write {0}:{1}[,dtype]{2}; dtypes are {3}.</source>
        <translation>Schreiben Sie {0}:{1}[,dtype]{2}; als dtype gibt es {3}.</translation>
    </message>
    <message>
        <source>The board &quot;{0}&quot; is {1}, its kernels use {2} cores.</source>
        <translation>Das Board „{0}“ ist {1}, seine Kernel nutzen {2} Kerne.</translation>
    </message>
    <message>
        <source>Kernels are tuned for {0} cores, and the board &quot;{1}&quot; runs them on {2}.</source>
        <translation>Kernel werden für {0} Kerne optimiert, und das Board „{1}“ führt sie auf {2} aus.</translation>
    </message>
    <message>
        <source>Tune for the target auto, which is the board as it is, or name its cores in a target as JSON.</source>
        <translation>Optimieren Sie für das Ziel auto, das Board, wie es ist, oder nennen Sie seine Kerne in einem Ziel als JSON.</translation>
    </message>
    <message>
        <source>{0} of its schedules would bring native code along and are left out.</source>
        <translation>{0} seiner Ablaufpläne brächten Maschinencode mit und bleiben weg.</translation>
    </message>
    <message>
        <source>The bundle was neither checked nor timed. {0}</source>
        <translation>Das Bündel wurde weder geprüft noch gemessen. {0}</translation>
    </message>
    <message>
        <source>Pruner Studio writes no such schedules: ask whoever gave you this project.</source>
        <translation>Pruner Studio schreibt keine solchen Ablaufpläne: Fragen Sie, wer Ihnen dieses Projekt gegeben hat.</translation>
    </message>
    <message>
        <source>Run it on the device with `python run.py --bench`, or on a board: `pruner export --rpc`.</source>
        <translation>Führen Sie es auf dem Gerät mit `python run.py --bench` aus, oder auf einem Board: `pruner export --rpc`.</translation>
    </message>
    <message>
        <source>The model&apos;s file has changed since it was loaded.</source>
        <translation>Die Datei des Modells hat sich geändert, seit sie geladen wurde.</translation>
    </message>
    <message>
        <source>Put it back, or begin anew with it.</source>
        <translation>Legen Sie sie zurück oder beginnen Sie mit ihr neu.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; has {1} bytes, and {2} holds {3} of it.</source>
        <translation>„{0}“ hat {1} Bytes, und {2} enthält davon {3}.</translation>
    </message>
    <message>
        <source>the outputs have the shapes {0}</source>
        <translation>die Ausgaben haben die Formen {0}</translation>
    </message>
    <message>
        <source>{0} instead of {1}</source>
        <translation>{0} statt {1}</translation>
    </message>
    <message>
        <source>output {0} differs by {1} of its largest value; rounding explains {2}</source>
        <translation>Ausgabe {0} weicht um {1} ihres größten Werts ab; durch Runden erklärt sich {2}</translation>
    </message>
    <message>
        <source>{0} rows were pinned too late: the run had ended before it took them.</source>
        <translation>{0} Zeilen wurden zu spät angeheftet: Der Lauf war zu Ende, bevor er sie übernahm.</translation>
    </message>
    <message>
        <source>The run was stopped while layouts were measured.</source>
        <translation>Der Lauf wurde angehalten, während Anordnungen gemessen wurden.</translation>
    </message>
    <message>
        <source>A resume measures them.</source>
        <translation>Beim Fortsetzen werden sie gemessen.</translation>
    </message>
    <message>
        <source>{0} was timed while other programs kept {1} cores busy: what it takes may be told too long.</source>
        <translation>{0} wurde gemessen, während andere Programme {1} Kerne beschäftigten: Die Zeit kann zu lang sein.</translation>
    </message>
    <message>
        <source>A later run in this project times it again on a quiet machine.</source>
        <translation>Ein späterer Lauf in diesem Projekt misst neu, wenn der Rechner ruhig ist.</translation>
    </message>
    <message>
        <source>The run was stopped while libraries were timed.</source>
        <translation>Der Lauf wurde angehalten, während Bibliotheken gemessen wurden.</translation>
    </message>
    <message>
        <source>A resume times them.</source>
        <translation>Beim Fortsetzen werden sie gemessen.</translation>
    </message>
    <message>
        <source>Boards run no models for GPUs.</source>
        <translation>Auf Boards laufen keine Modelle für GPUs.</translation>
    </message>
    <message>
        <source>Leave --rpc out.</source>
        <translation>Lassen Sie --rpc weg.</translation>
    </message>
    <message>
        <source>One record is of a kernel that this project has not; it was left out.</source>
        <translation>Eine Messung ist von einem Kernel, den dieses Projekt nicht hat; sie wurde weggelassen.</translation>
    </message>
    <message>
        <source>One record holds a trace that does not fit its kernel; it was left out.</source>
        <translation>Eine Messung hat einen Trace, der nicht zu ihrem Kernel passt; sie wurde weggelassen.</translation>
    </message>
    <message>
        <source>{0} records are of kernels that this project has not; they were left out.</source>
        <translation>{0} Messdaten sind von Kerneln, die dieses Projekt nicht hat; sie wurden weggelassen.</translation>
    </message>
    <message>
        <source>{0} records hold a trace that does not fit their kernel; they were left out.</source>
        <translation>{0} Messdaten haben einen Trace, der nicht zu ihrem Kernel passt; sie wurden weggelassen.</translation>
    </message>
    <message>
        <source>Records measured for {0}, not for this project&apos;s {1}: {2} of {3}; they were taken over.</source>
        <translation>Messdaten, die für {0} gemessen wurden, nicht für {1} wie in diesem Projekt: {2} von {3}; sie wurden übernommen.</translation>
    </message>
    <message>
        <source>The records were measured for {0}; the device of this project is {1}.</source>
        <translation>Die Messdaten wurden für {0} gemessen; das Gerät dieses Projekts ist {1}.</translation>
    </message>
    <message>
        <source>Import them as those of another device, without --same-device: their times are then kept apart.</source>
        <translation>Übernehmen Sie sie als die eines anderen Geräts, ohne --same-device: Ihre Zeiten bleiben dann getrennt.</translation>
    </message>
    <message>
        <source>The records count as measured with warm caches, and exports of runs with {0} ones leave them out.</source>
        <translation>Die Messungen gelten als mit warmen Caches gemacht; Exporte von Läufen mit anderen ({0}) lassen sie aus.</translation>
    </message>
    <message>
        <source>`pruner export --run {0}` takes them.</source>
        <translation>`pruner export --run {0}` nimmt sie.</translation>
    </message>
    <message>
        <source>Run {0} holds what others measured, and is not tuned on.</source>
        <translation>Lauf {0} enthält, was andere gemessen haben, und wird nicht weiter optimiert.</translation>
    </message>
    <message>
        <source>Start a new one; `--start-from` measures first what this project knows.</source>
        <translation>Beginnen Sie einen neuen; `--start-from` misst zuerst, was dieses Projekt kennt.</translation>
    </message>
    <message>
        <source>The score that the cost model &quot;{0}&quot; gives this schedule is no number.</source>
        <translation>Die Bewertung, die das Kostenmodell „{0}“ diesem Ablaufplan gibt, ist keine Zahl.</translation>
    </message>
    <message>
        <source>Ask with --run for the model of another run.</source>
        <translation>Fragen Sie mit --run nach dem Modell eines anderen Laufs.</translation>
    </message>
    <message>
        <source>The board &quot;{0}&quot; could not be asked what it is: {1}.</source>
        <translation>Das Board „{0}“ ließ sich nicht fragen, was es ist: {1}.</translation>
    </message>
    <message>
        <source>Look whether it answers with `pruner boards`, and start its server again.</source>
        <translation>Sehen Sie mit `pruner boards` nach, ob es antwortet, und starten Sie seinen Server neu.</translation>
    </message>
    <message>
        <source>No linker for {0} was found on this machine.</source>
        <translation>Auf diesem Rechner wurde kein Linker für {0} gefunden.</translation>
    </message>
    <message>
        <source>Install lld, binutils-{0}-linux-gnu, or the Python package ziglang.</source>
        <translation>Installieren Sie lld, binutils-{0}-linux-gnu oder das Python-Paket ziglang.</translation>
    </message>
    <message>
        <source>Nothing is linked here for {0}.</source>
        <translation>Für {0} wird hier nichts gelinkt.</translation>
    </message>
    <message>
        <source>Export on such a machine, from the same project file.</source>
        <translation>Exportieren Sie auf einem solchen Rechner, aus derselben Projektdatei.</translation>
    </message>
    <message>
        <source>Neither a linker for the kernels nor the program tar was found on this machine.</source>
        <translation>Auf diesem Rechner fand sich weder ein Linker für die Kernel noch das Programm tar.</translation>
    </message>
    <message>
        <source>Install lld or tar.</source>
        <translation>Installieren Sie lld oder tar.</translation>
    </message>
    <message>
        <source>Start `pruner serve --tracker {0}` on a board.</source>
        <translation>Starten Sie `pruner serve --tracker {0}` auf einem Board.</translation>
    </message>
    <message>
        <source>Start `pruner serve --tracker {0}` on a board, or give the --key of others: {1}.</source>
        <translation>Starten Sie `pruner serve --tracker {0}` auf einem Board, oder geben Sie den --key anderer an: {1}.</translation>
    </message>
    <message>
        <source>The board&apos;s server ended: the kernel crashed there, or has instructions that the board&apos;s processor lacks, or the board went off.</source>
        <translation>Der Server des Boards endete: Der Kernel stürzte dort ab oder hat Befehle, die der Prozessor des Boards nicht kennt, oder das Board ging aus.</translation>
    </message>
    <message>
        <source>{0} is a folder.</source>
        <translation>{0} ist ein Ordner.</translation>
    </message>
    <message>
        <source>Name the file of a model.</source>
        <translation>Nennen Sie die Datei eines Modells.</translation>
    </message>
    <message>
        <source>Of those the draft reads some hundred candidates a round, from their applied schedules.</source>
        <translation>Von ihnen liest der Entwurf einige Hundert Kandidaten je Runde, aus ihren angewandten Ablaufplänen.</translation>
    </message>
    <message>
        <source>{0} is an offline strategy and was given no checkpoint: its model learns from this run instead.</source>
        <translation>{0} ist eine Offline-Strategie und hat keinen Modellstand bekommen: Ihr Modell lernt stattdessen aus diesem Lauf.</translation>
    </message>
    <message>
        <source>Give one with --checkpoint.</source>
        <translation>Geben Sie einen mit --checkpoint.</translation>
    </message>
    <message>
        <source>metaschedule learns with TVM&apos;s own model: the checkpoint is not used.</source>
        <translation>metaschedule lernt mit dem eigenen Modell von TVM: Der Modellstand wird nicht benutzt.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>Lassen Sie ihn weg.</translation>
    </message>
    <message>
        <source>The {0} that this run had learned cannot be taken up: {1}</source>
        <translation>Was dieser Lauf gelernt hatte ({0}), lässt sich nicht weiterverwenden: {1}</translation>
    </message>
    <message>
        <source>What the run has measured is learned anew.</source>
        <translation>Was der Lauf gemessen hat, wird neu gelernt.</translation>
    </message>
    <message>
        <source>no candidate that the search finds can be applied to it</source>
        <translation>kein Kandidat, den die Suche findet, lässt sich darauf anwenden</translation>
    </message>
    <message>
        <source>Update it: TVM is built for CUDA {0}, whose first driver was {1}.</source>
        <translation>Aktualisieren Sie ihn: TVM ist für CUDA {0} gebaut, dessen erster Treiber {1} war.</translation>
    </message>
    <message>
        <source>The system refused: {0}.</source>
        <translation>Das System hat abgelehnt: {0}.</translation>
    </message>
    <message>
        <source>The system refused: {0} ({1}).</source>
        <translation>Das System hat abgelehnt: {0} ({1}).</translation>
    </message>
    <message>
        <source>compile the tuned model</source>
        <translation>optimiertes Modell kompilieren</translation>
    </message>
    <message>
        <source>write the files</source>
        <translation>Dateien schreiben</translation>
    </message>
    <message>
        <source>compile the untuned model</source>
        <translation>nicht optimiertes Modell kompilieren</translation>
    </message>
    <message>
        <source>compile {0}</source>
        <translation>{0} kompilieren</translation>
    </message>
    <message>
        <source>{0} is a file, in which no folder can be made.</source>
        <translation>{0} ist eine Datei, in der sich kein Ordner anlegen lässt.</translation>
    </message>
    <message>
        <source>Make room on the disk, or choose another folder.</source>
        <translation>Schaffen Sie Platz auf dem Datenträger, oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>round {0} of {1}: {2}</source>
        <translation>Runde {0} von {1}: {2}</translation>
    </message>
    <message>
        <source>{0}, which compiles first</source>
        <translation>{0}, das zuerst kompiliert</translation>
    </message>
    <message>
        <source>Only inputs of ONNX models can be given a value.</source>
        <translation>Nur Eingänge von ONNX-Modellen können einen Wert bekommen.</translation>
    </message>
    <message>
        <source>Give it where the model is exported.</source>
        <translation>Geben Sie ihn dort an, wo das Modell exportiert wird.</translation>
    </message>
    <message>
        <source>Check its permissions, or choose another file.</source>
        <translation>Prüfen Sie die Berechtigungen, oder wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>{0} computes {1}, which ONNX does not define: the domain {2} has no such operator up to version {3}, the newest known here.</source>
        <translation>{0} berechnet {1}, was ONNX nicht definiert: Die Domäne {2} hat bis zur Version {3}, der neuesten hier bekannten, keinen solchen Operator.</translation>
    </message>
    <message>
        <source>Export it without that operator, or with the domain of the library that defines it.</source>
        <translation>Exportieren Sie es ohne diesen Operator oder mit der Domäne der Bibliothek, die ihn definiert.</translation>
    </message>
    <message>
        <source>{0} computes {1}, which ONNX has withdrawn from the domain {2} by version {3}, which the file uses.</source>
        <translation>{0} berechnet {1}, was ONNX in der Version {3} der Domäne {2}, die die Datei verwendet, zurückgezogen hat.</translation>
    </message>
    <message>
        <source>Export it with an earlier version of the operators, or without that operator.</source>
        <translation>Exportieren Sie es mit einer früheren Version der Operatoren oder ohne diesen Operator.</translation>
    </message>
    <message>
        <source>{0} computes {1}, which ONNX defines from version {2} of the domain {3} on; the file uses version {4}.</source>
        <translation>{0} berechnet {1}, was ONNX erst ab Version {2} der Domäne {3} definiert; die Datei verwendet Version {4}.</translation>
    </message>
    <message>
        <source>Export it with that version of the operators.</source>
        <translation>Exportieren Sie es mit dieser Version der Operatoren.</translation>
    </message>
    <message>
        <source>Inputs of {0} cannot be given a value: it has more than {1} MB of weights.</source>
        <translation>Eingänge von {0} können keinen Wert bekommen: Es hat mehr als {1} MB Gewichte.</translation>
    </message>
    <message>
        <source>Give them where the model is exported.</source>
        <translation>Geben Sie sie dort an, wo das Modell exportiert wird.</translation>
    </message>
    <message>
        <source>All inputs are given a value: the model computes one and the same.</source>
        <translation>Alle Eingänge haben einen Wert: Das Modell berechnet immer dasselbe.</translation>
    </message>
    <message>
        <source>Leave one open.</source>
        <translation>Lassen Sie einen offen.</translation>
    </message>
    <message>
        <source>Input {0} has more than {1} elements.</source>
        <translation>Der Eingang {0} hat mehr als {1} Elemente.</translation>
    </message>
    <message>
        <source>Input {0} of shape ({1}) cannot be given {2} values.</source>
        <translation>Der Eingang {0} der Form ({1}) kann nicht {2} Werte bekommen.</translation>
    </message>
    <message>
        <source>Give it one, which fills it, or as many as it has elements.</source>
        <translation>Geben Sie ihm einen, der ihn füllt, oder so viele, wie er Elemente hat.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; gives no input a value.</source>
        <translation>„{0}“ gibt keinem Eingang einen Wert.</translation>
    </message>
    <message>
        <source>Write --fix NAME=VALUE, such as --fix sr=16000.</source>
        <translation>Schreiben Sie --fix NAME=WERT, etwa --fix sr=16000.</translation>
    </message>
    <message>
        <source>Input {0} is given a value twice.</source>
        <translation>Der Eingang {0} bekommt zweimal einen Wert.</translation>
    </message>
    <message>
        <source>Give it one.</source>
        <translation>Geben Sie ihm einen.</translation>
    </message>
    <message>
        <source>Input {0} takes {1}, not {2}.</source>
        <translation>Der Eingang {0} nimmt {1}, nicht {2}.</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>The model chooses by {0}: tune it for one value, such as --fix {1}=1.</source>
        <translation>Das Modell wählt nach {0}: Optimieren Sie es für einen Wert, etwa --fix {1}=1.</translation>
    </message>
    <message>
        <source>{0} keeps a state from one call to the next.</source>
        <translation>{0} behält einen Zustand von einem Aufruf zum nächsten.</translation>
    </message>
    <message>
        <source>Convert it with that as input and output.</source>
        <translation>Wandeln Sie es mit diesem als Ein- und Ausgabe um.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; makes no operator: {1}.</source>
        <translation>„{0}“ ergibt keinen Operator: {1}.</translation>
    </message>
    <message>
        <source>The time was over before a candidate was measured: `pruner resume` with more --minutes goes on.</source>
        <translation>Die Zeit war um, bevor ein Kandidat gemessen war: `pruner resume` mit mehr --minutes macht weiter.</translation>
    </message>
    <message>
        <source>{0} measurements of this task, just now</source>
        <translation>{0} Messungen dieser Aufgabe, gerade eben</translation>
    </message>
    <message>
        <source>board {0}</source>
        <translation>Board {0}</translation>
    </message>
    <message>
        <source>Libraries were timed while other programs kept {0} cores busy: {1} may be told too long.</source>
        <translation>Bibliotheken wurden gemessen, während andere Programme {0} Kerne beschäftigten: Die Zeiten von {1} können zu lang sein.</translation>
    </message>
    <message>
        <source>A later run in this project times them again on a quiet machine.</source>
        <translation>Ein späterer Lauf in diesem Projekt misst sie neu, wenn der Rechner ruhig ist.</translation>
    </message>
    <message>
        <source>This run was tuned on another {0} than this machine&apos;s: its features or cores differ.</source>
        <translation>Dieser Lauf wurde auf einem anderen {0} als dem dieses Rechners optimiert: Seine Befehlssätze oder Kerne sind andere.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; gives candidates scores that are no numbers.</source>
        <translation>Die Strategie „{0}“ gibt Kandidaten Bewertungen, die keine Zahlen sind.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; tells what is no calibration.</source>
        <translation>Die Strategie „{0}“ meldet etwas, das keine Kalibrierung ist.</translation>
    </message>
    <message>
        <source>There is no setting &quot;{0}&quot;.</source>
        <translation>Es gibt keine Einstellung „{0}“.</translation>
    </message>
    <message>
        <source>A setting is not understood: {0}.</source>
        <translation>Eine Einstellung ist nicht verständlich: {0}.</translation>
    </message>
    <message>
        <source>The setting {0} takes a list of names, not {1}.</source>
        <translation>Die Einstellung {0} ist eine Liste von Namen, nicht {1}.</translation>
    </message>
    <message>
        <source>The setting {0} takes one of {1}, not {2}.</source>
        <translation>Die Einstellung {0} ist eines von {1}, nicht {2}.</translation>
    </message>
    <message>
        <source>The setting {0} takes a whole number of {1} or more, not {2}.</source>
        <translation>Die Einstellung {0} ist eine ganze Zahl ab {1}, nicht {2}.</translation>
    </message>
    <message>
        <source>The setting {0} takes a number from {1} to {2}, not {3}.</source>
        <translation>Die Einstellung {0} ist eine Zahl von {1} bis {2}, nicht {3}.</translation>
    </message>
    <message>
        <source>The setting {0} takes true or false, not {1}.</source>
        <translation>Die Einstellung {0} ist true oder false, nicht {1}.</translation>
    </message>
    <message>
        <source>The setting {0} takes text, not {1}.</source>
        <translation>Die Einstellung {0} ist ein Text, nicht {1}.</translation>
    </message>
    <message>
        <source>Mend its plugin; docs/extending.md says what is expected.</source>
        <translation>Beheben Sie das in ihrem Plugin; docs/extending.md sagt, was erwartet wird.</translation>
    </message>
    <message>
        <source>Save it again with torch.export.save from a model of plain tensors, which torchao&apos;s unwrap_tensor_subclass makes of one that it quantised.</source>
        <translation>Speichern Sie es noch einmal mit torch.export.save, aus einem Modell aus gewöhnlichen Tensoren, das torchaos unwrap_tensor_subclass aus einem von ihm quantisierten macht.</translation>
    </message>
    <message>
        <source>Plugin</source>
        <translation>Plugin</translation>
    </message>
    <message>
        <source>No trial has reached {0}, and it could not be drafted: {1}.</source>
        <translation>Kein Versuch hat {0} erreicht, und es konnte nicht entworfen werden: {1}.</translation>
    </message>
    <message>
        <source>Its default kernel is exported: tune it.</source>
        <translation>Sein Standardkernel wird exportiert: Optimieren Sie ihn.</translation>
    </message>
    <message>
        <source>{0} measurements of run {1}</source>
        <translation>{0} Messungen von Lauf {1}</translation>
    </message>
    <message>
        <source>What was measured is kept: do the same once more, and if it hangs again, copy a report for the makers.</source>
        <translation>Was gemessen wurde, bleibt erhalten: Tun Sie dasselbe noch einmal, und wenn es wieder hängt, kopieren Sie einen Bericht für die Entwickler.</translation>
    </message>
    <message>
        <source>Mend it, or take it away: pip uninstall {0}.</source>
        <translation>Beheben Sie das, oder entfernen Sie es: pip uninstall {0}.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; proposes what are no candidates.</source>
        <translation>Die Strategie „{0}“ schlägt etwas vor, das keine Kandidaten sind.</translation>
    </message>
    <message>
        <source>The cost model &quot;{0}&quot; of {1} tells no LearnReport.</source>
        <translation>Das Kostenmodell „{0}“ aus {1} gibt keinen LearnReport zurück.</translation>
    </message>
    <message>
        <source>The setting {0} takes a number above {1} and up to {2}, not {3}.</source>
        <translation>Die Einstellung {0} ist eine Zahl über {1} und bis {2}, nicht {3}.</translation>
    </message>
    <message>
        <source>The schedule rule &quot;{0}&quot; fails on {1}: {2}.</source>
        <translation>Die Regel „{0}“ für Ablaufpläne scheitert an {1}: {2}.</translation>
    </message>
    <message>
        <source>The other rules schedule it. Mend its plugin, or leave the rule out (--without).</source>
        <translation>Die anderen Regeln bearbeiten ihn. Beheben Sie das in ihrem Plugin, oder lassen Sie die Regel weg (--without).</translation>
    </message>
    <message>
        <source>The other rules schedule it. Send this to the makers of Pruner Studio.</source>
        <translation>Die anderen Regeln bearbeiten ihn. Schicken Sie dies den Entwicklern von Pruner Studio.</translation>
    </message>
    <message>
        <source>The cost model &quot;{0}&quot; gives scores that are no numbers: such candidates come last.</source>
        <translation>Das Kostenmodell „{0}“ gibt Bewertungen, die keine Zahlen sind: Solche Kandidaten kommen zuletzt.</translation>
    </message>
    <message>
        <source>Choose another strategy.</source>
        <translation>Wählen Sie eine andere Strategie.</translation>
    </message>
    <message>
        <source>What is registered as the strategy &quot;{0}&quot; makes a {1}.</source>
        <translation>Was als Strategie „{0}“ angemeldet ist, erzeugt ein Objekt der Art {1}.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; does not call `super().__init__(context)`.</source>
        <translation>Die Strategie „{0}“ ruft `super().__init__(context)` nicht auf.</translation>
    </message>
    <message>
        <source>the last {0} trials failed: {1}</source>
        <translation>die letzten {0} Versuche schlugen fehl: {1}</translation>
    </message>
    <message>
        <source>The run waits some minutes longer: start the board&apos;s server again, or `pruner serve`, which does so itself.</source>
        <translation>Der Lauf wartet noch einige Minuten: Starten Sie den Server des Boards neu, oder `pruner serve`, das dies selbst tut.</translation>
    </message>
    <message>
        <source>{0}: the kernel that its candidates were timed beside cannot be built any more.</source>
        <translation>{0}: Der Kernel, neben dem seine Kandidaten gemessen wurden, kann nicht mehr gebaut werden.</translation>
    </message>
    <message>
        <source>New ones are timed beside another: they compare with those before only as far as the machine is as fast.</source>
        <translation>Neue werden neben einem anderen gemessen: Sie sind mit den früheren nur so weit vergleichbar, wie der Rechner gleich schnell ist.</translation>
    </message>
    <message>
        <source>What is registered as the schedule rule &quot;{0}&quot; makes a {1}.</source>
        <translation>Was als Regel „{0}“ für Ablaufpläne angemeldet ist, erzeugt ein Objekt der Art {1}.</translation>
    </message>
    <message>
        <source>Wait for it to end, stop it (`pruner steer PROJECT stop`), or choose another project file.</source>
        <translation>Warten Sie, bis sie endet, stoppen Sie sie (`pruner steer PROJECT stop`), oder wählen Sie eine andere Projektdatei.</translation>
    </message>
    <message>
        <source>{0} is only being made by an engine.</source>
        <translation>{0} wird gerade erst von einer Engine angelegt.</translation>
    </message>
    <message>
        <source>Open it again in a moment.</source>
        <translation>Öffnen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>{0} is a model, and no project.</source>
        <translation>{0} ist ein Modell, kein Projekt.</translation>
    </message>
    <message>
        <source>`pruner tune` makes a project of it, as Tune in the window does.</source>
        <translation>`pruner tune` macht ein Projekt daraus, ebenso „Optimieren“ im Fenster.</translation>
    </message>
    <message>
        <source>The name {0} is longer than the {1} bytes that a project&apos;s may have.</source>
        <translation>Der Name {0} ist länger als die {1} Bytes, die der Name eines Projekts haben darf.</translation>
    </message>
    <message>
        <source>You may not read {0}.</source>
        <translation>Sie dürfen {0} nicht lesen.</translation>
    </message>
    <message>
        <source>Ask its owner to let you, or choose another project.</source>
        <translation>Bitten Sie den Eigentümer um die Berechtigung, oder wählen Sie ein anderes Projekt.</translation>
    </message>
    <message>
        <source>{0} is no file.</source>
        <translation>{0} ist keine Datei.</translation>
    </message>
    <message>
        <source>Choose another place for the project.</source>
        <translation>Wählen Sie einen anderen Ort für das Projekt.</translation>
    </message>
    <message>
        <source>{0} is an empty file: it holds no project.</source>
        <translation>{0} ist eine leere Datei: Sie enthält kein Projekt.</translation>
    </message>
    <message>
        <source>Tune a model into it, or choose another.</source>
        <translation>Optimieren Sie ein Modell hinein, oder wählen Sie eine andere.</translation>
    </message>
    <message>
        <source>{0} holds a {1}, {2}, which no project has.</source>
        <translation>{0} enthält {1}, {2}, was kein Projekt hat.</translation>
    </message>
    <message>
        <source>Remove it with a program for SQLite, or ask whoever gave you this project.</source>
        <translation>Entfernen Sie es mit einem Programm für SQLite, oder fragen Sie, wer Ihnen dieses Projekt gegeben hat.</translation>
    </message>
    <message>
        <source>The board &quot;{0}&quot; cannot tell what processor it has: its TVM comes without the compiler.</source>
        <translation>Das Board „{0}“ kann nicht sagen, welchen Prozessor es hat: Seinem TVM fehlt der Compiler.</translation>
    </message>
    <message>
        <source>Name it with --target: a device that `pruner targets` lists, or a TVM target as JSON.</source>
        <translation>Nennen Sie ihn mit --target: ein Gerät, das `pruner targets` aufzählt, oder ein TVM-Ziel als JSON.</translation>
    </message>
    <message>
        <source>Kernels for {0} cannot run on the board &quot;{1}&quot;, which has a processor of {2}.</source>
        <translation>Kernel für {0} laufen nicht auf dem Board „{1}“, das einen Prozessor der Art {2} hat.</translation>
    </message>
    <message>
        <source>Tune for the target auto: the board is asked then. Or name one of its kind; `pruner targets` lists some.</source>
        <translation>Optimieren Sie für das Ziel auto: Dann wird das Board gefragt. Oder nennen Sie eines seiner Art; `pruner targets` zählt einige auf.</translation>
    </message>
    <message>
        <source>Kernels for {0} cannot run on the board &quot;{1}&quot;: its processor has no {2}.</source>
        <translation>Kernel für {0} laufen nicht auf dem Board „{1}“: Seinem Prozessor fehlt {2}.</translation>
    </message>
    <message>
        <source>{0} cannot be kept: {1}.</source>
        <translation>{0} lässt sich nicht aufbewahren: {1}.</translation>
    </message>
    <message>
        <source>Later runs measure and calibrate anew. Make the folder writable, or set XDG_CACHE_HOME to one that is.</source>
        <translation>Spätere Läufe messen und kalibrieren neu. Machen Sie den Ordner beschreibbar, oder setzen Sie XDG_CACHE_HOME auf einen, der es ist.</translation>
    </message>
    <message>
        <source>it is nested too deeply.</source>
        <translation>Es ist zu tief verschachtelt.</translation>
    </message>
    <message>
        <source>no device has this name, and it is neither llvm nor cuda.</source>
        <translation>Kein Gerät heißt so, und es ist weder llvm noch cuda.</translation>
    </message>
    <message>
        <source>it is no JSON from its character {0} on.</source>
        <translation>Ab dem Zeichen {0} ist es kein JSON.</translation>
    </message>
    <message>
        <source>it does not tell its kind, llvm or cuda.</source>
        <translation>Es nennt seine Art nicht, llvm oder cuda.</translation>
    </message>
    <message>
        <source>nothing has this name.</source>
        <translation>Nichts heißt so.</translation>
    </message>
    <message>
        <source>its kind &quot;{0}&quot; is neither llvm nor cuda.</source>
        <translation>Seine Art „{0}“ ist weder llvm noch cuda.</translation>
    </message>
    <message>
        <source>options are given as JSON.</source>
        <translation>Optionen werden als JSON angegeben.</translation>
    </message>
    <message>
        <source>its option &quot;arch&quot; has to be such as sm_90.</source>
        <translation>Seine Option „arch“ muss wie sm_90 lauten.</translation>
    </message>
    <message>
        <source>no option of this kind is called &quot;{0}&quot;.</source>
        <translation>Keine Option dieser Art heißt „{0}“.</translation>
    </message>
    <message>
        <source>there is no tag &quot;{0}&quot;.</source>
        <translation>Es gibt keine Kennzeichnung „{0}“.</translation>
    </message>
    <message>
        <source>no option is called &quot;{0}&quot;; perhaps &quot;{1}&quot; is meant.</source>
        <translation>Keine Option heißt „{0}“; vielleicht ist „{1}“ gemeint.</translation>
    </message>
    <message>
        <source>Use &quot;auto&quot; for this CPU, &quot;cuda&quot; for a GPU, a TVM target as JSON, or a device: {0}.</source>
        <translation>Schreiben Sie „auto“ für diese CPU, „cuda“ für eine GPU, ein TVM-Ziel als JSON oder ein Gerät: {0}.</translation>
    </message>
    <message>
        <source>Such as {&quot;kind&quot;:&quot;llvm&quot;,&quot;mcpu&quot;:&quot;znver4&quot;,&quot;num-cores&quot;:8}, or {&quot;kind&quot;:&quot;cuda&quot;,&quot;arch&quot;:&quot;sm_90&quot;}.</source>
        <translation>Wie {&quot;kind&quot;:&quot;llvm&quot;,&quot;mcpu&quot;:&quot;znver4&quot;,&quot;num-cores&quot;:8} oder {&quot;kind&quot;:&quot;cuda&quot;,&quot;arch&quot;:&quot;sm_90&quot;}.</translation>
    </message>
    <message>
        <source>Perhaps &quot;{0}&quot; is meant; `pruner targets` lists the names of devices.</source>
        <translation>Vielleicht ist „{0}“ gemeint; `pruner targets` nennt die Namen der Geräte.</translation>
    </message>
    <message>
        <source>{0} cannot be removed: {1}.</source>
        <translation>{0} lässt sich nicht entfernen: {1}.</translation>
    </message>
    <message>
        <source>Remove it: the draft is better off without.</source>
        <translation>Entfernen Sie sie: Ohne sie ist der Entwurf besser.</translation>
    </message>
    <message>
        <source>The draft reckons with an estimate. {0}</source>
        <translation>Der Entwurf rechnet mit einer Schätzung. {0}</translation>
    </message>
    <message>
        <source>{0} could not be measured again: {1}.</source>
        <translation>{0} ließ sich nicht erneut messen: {1}.</translation>
    </message>
    <message>
        <source>Earlier figures of it count. {0}</source>
        <translation>Es gelten frühere Werte. {0}</translation>
    </message>
    <message>
        <source>Kernels for {0} cannot run: this processor has no {1}.</source>
        <translation>Kernel für {0} können nicht laufen: Diesem Prozessor fehlt {1}.</translation>
    </message>
    <message>
        <source>Kernels for {0} cannot run: {1}.</source>
        <translation>Kernel für {0} können nicht laufen: {1}.</translation>
    </message>
    <message>
        <source>the GPU here is {0}</source>
        <translation>die GPU hier ist {0}</translation>
    </message>
    <message>
        <source>no NVIDIA driver answers here</source>
        <translation>hier antwortet kein NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>Kernels for {0} cannot run on this {1} processor.</source>
        <translation>Kernel für {0} können auf diesem {1}-Prozessor nicht laufen.</translation>
    </message>
    <message>
        <source>The cost model &quot;{0}&quot; of {1} does not give features of each of {2} candidates.</source>
        <translation>Das Kostenmodell „{0}“ aus {1} gibt nicht zu jedem von {2} Kandidaten Merkmale.</translation>
    </message>
    <message>
        <source>The cost model &quot;{0}&quot; of {1} does not give one score for each of {2} candidates.</source>
        <translation>Das Kostenmodell „{0}“ aus {1} gibt nicht jedem von {2} Kandidaten eine Bewertung.</translation>
    </message>
    <message>
        <source>It holds no trees that can be read.</source>
        <translation>Es enthält keine lesbaren Bäume.</translation>
    </message>
    <message>
        <source>{0} cannot be taken as a pre-trained model: {1}</source>
        <translation>{0} taugt nicht als vortrainiertes Modell: {1}</translation>
    </message>
    <message>
        <source>Chance learns nothing and takes no checkpoint.</source>
        <translation>Der Zufall lernt nichts und nimmt keinen Modellstand.</translation>
    </message>
    <message>
        <source>Choose another cost model.</source>
        <translation>Wählen Sie ein anderes Kostenmodell.</translation>
    </message>
    <message>
        <source>{0} keeps weights in another file, {1}.</source>
        <translation>{0} hält Gewichte in einer anderen Datei, {1}.</translation>
    </message>
    <message>
        <source>Open it from its own folder.</source>
        <translation>Öffnen Sie es in seinem eigenen Ordner.</translation>
    </message>
    <message>
        <source>{0}, which holds weights of {1}, is cut off.</source>
        <translation>{0} mit Gewichten von {1} ist abgeschnitten.</translation>
    </message>
    <message>
        <source>Input &quot;{0}&quot; has elements of a kind that is not supported.</source>
        <translation>Eingabe „{0}“ hat Elemente einer Art, die nicht unterstützt wird.</translation>
    </message>
    <message>
        <source>Use numbers or booleans.</source>
        <translation>Verwenden Sie Zahlen oder Wahrheitswerte.</translation>
    </message>
    <message>
        <source>{0} has {1} MB with its weights, more than can be imported.</source>
        <translation>{0} hat mit seinen Gewichten {1} MB, mehr als sich einlesen lässt.</translation>
    </message>
    <message>
        <source>{0} is not a valid ONNX model: {1}</source>
        <translation>{0} ist kein gültiges ONNX-Modell: {1}</translation>
    </message>
    <message>
        <source>Export it with tensors and their shapes.</source>
        <translation>Exportieren Sie es mit Tensoren und deren Formen.</translation>
    </message>
    <message>
        <source>Output &quot;{0}&quot; is not a tensor of numbers.</source>
        <translation>Ausgabe „{0}“ ist kein Tensor aus Zahlen.</translation>
    </message>
    <message>
        <source>Export it with outputs that are.</source>
        <translation>Exportieren Sie es mit solchen Ausgaben.</translation>
    </message>
    <message>
        <source>{0} cannot be imported rightly: &quot;{1}&quot; would be {2}, the file says {3}.</source>
        <translation>{0} lässt sich nicht richtig einlesen: „{1}“ würde {2}, die Datei sagt {3}.</translation>
    </message>
    <message>
        <source>Export it with another version of the operators.</source>
        <translation>Exportieren Sie es mit einer anderen Version der Operatoren.</translation>
    </message>
    <message>
        <source>{0} asks for weights outside its own folder, {1}.</source>
        <translation>{0} verlangt Gewichte außerhalb des eigenen Ordners, {1}.</translation>
    </message>
    <message>
        <source>Do not trust this file.</source>
        <translation>Trauen Sie dieser Datei nicht.</translation>
    </message>
    <message>
        <source>{0} {1} has an input whose shape is known only when it runs.</source>
        <translation>{0} {1} hat eine Eingabe, deren Form erst beim Lauf bekannt ist.</translation>
    </message>
    <message>
        <source>Export the model with a fixed length of its sequences.</source>
        <translation>Exportieren Sie das Modell mit einer festen Länge seiner Folgen.</translation>
    </message>
    <message>
        <source>{0} {1} has activations that are not supported: {2}.</source>
        <translation>{0} {1} hat Aktivierungen, die nicht unterstützt werden: {2}.</translation>
    </message>
    <message>
        <source>Use some without parameters, such as Sigmoid, Tanh and Relu.</source>
        <translation>Verwenden Sie solche ohne Parameter, etwa Sigmoid, Tanh und Relu.</translation>
    </message>
    <message>
        <source>{0} {1}, which cannot be imported.</source>
        <translation>{0} {1}, was sich nicht einlesen lässt.</translation>
    </message>
    <message>
        <source>Export the model with another form of it.</source>
        <translation>Exportieren Sie das Modell mit einer anderen Form davon.</translation>
    </message>
    <message>
        <source>{0} has inputs of {1}; only a float32 model is converted.</source>
        <translation>{0} hat Eingaben von {1}; nur ein float32-Modell wird umgewandelt.</translation>
    </message>
    <message>
        <source>Leave out --dtype.</source>
        <translation>Lassen Sie --dtype weg.</translation>
    </message>
    <message>
        <source>Reading .pt2 files needs PyTorch {0} or newer, this is {1}.</source>
        <translation>Um .pt2-Dateien zu lesen, ist PyTorch {0} oder neuer nötig; dies ist {1}.</translation>
    </message>
    <message>
        <source>Update it with: pip install --upgrade torch</source>
        <translation>Aktualisieren Sie es mit: pip install --upgrade torch</translation>
    </message>
    <message>
        <source>Reading .pt2 files needs PyTorch.</source>
        <translation>Um .pt2-Dateien zu lesen, braucht es PyTorch.</translation>
    </message>
    <message>
        <source>Install it with: pip install torch</source>
        <translation>Installieren Sie es mit: pip install torch</translation>
    </message>
    <message>
        <source>{0} cannot be read by this version of PyTorch, or it is damaged.</source>
        <translation>{0} lässt sich mit dieser Version von PyTorch nicht lesen, oder es ist beschädigt.</translation>
    </message>
    <message>
        <source>Save it again with torch.export.save.</source>
        <translation>Speichern Sie es noch einmal mit torch.export.save.</translation>
    </message>
    <message>
        <source>{0} unpacks to more than its own size.</source>
        <translation>{0} wird entpackt größer, als es selbst ist.</translation>
    </message>
    <message>
        <source>Save it again with torch.export.save from a model of plain tensors.</source>
        <translation>Speichern Sie es noch einmal mit torch.export.save, von einem Modell aus einfachen Tensoren.</translation>
    </message>
    <message>
        <source>{0} holds no single exported model.</source>
        <translation>{0} enthält nicht genau ein exportiertes Modell.</translation>
    </message>
    <message>
        <source>{0} holds compiled code, which is not run.</source>
        <translation>{0} enthält übersetzten Code; der wird nicht ausgeführt.</translation>
    </message>
    <message>
        <source>{0} is of an old format whose weights may hold code.</source>
        <translation>{0} ist in einem alten Format, dessen Gewichte Code enthalten können.</translation>
    </message>
    <message>
        <source>{0} is not a torch.export archive, or it is damaged.</source>
        <translation>{0} ist kein Archiv von torch.export, oder es ist beschädigt.</translation>
    </message>
    <message>
        <source>{0} keeps &quot;{1}&quot; in a form that may hold code.</source>
        <translation>{0} hält „{1}“ in einer Form, die Code enthalten kann.</translation>
    </message>
    <message>
        <source>{0} is damaged: &quot;{1}&quot; is larger than the file.</source>
        <translation>{0} ist beschädigt: „{1}“ ist größer als die Datei.</translation>
    </message>
    <message>
        <source>The example inputs in {0} may hold code.</source>
        <translation>Die Beispieleingaben in {0} können Code enthalten.</translation>
    </message>
    <message>
        <source>{0} holds an expression that is more than arithmetic.</source>
        <translation>{0} enthält einen Ausdruck, der mehr als eine Rechnung ist.</translation>
    </message>
    <message>
        <source>{0} uses {1}, which is not a plain ATen operator.</source>
        <translation>{0} verwendet {1}, das kein einfacher ATen-Operator ist.</translation>
    </message>
    <message>
        <source>The model computes {0}, which cannot be imported.</source>
        <translation>Das Modell berechnet {0}; das lässt sich nicht einlesen.</translation>
    </message>
    <message>
        <source>Write that part with other operators of PyTorch, or export the model without it.</source>
        <translation>Schreiben Sie diesen Teil mit anderen Operatoren von PyTorch, oder exportieren Sie das Modell ohne ihn.</translation>
    </message>
    <message>
        <source>The model selects by booleans ({0}), so that a shape is known only when it runs.</source>
        <translation>Das Modell wählt nach Wahrheitswerten aus ({0}), sodass eine Form erst beim Ausführen bekannt ist.</translation>
    </message>
    <message>
        <source>Select before the model, or keep all and weigh them with the booleans (torch.where).</source>
        <translation>Wählen Sie vor dem Modell aus, oder behalten Sie alle und gewichten Sie sie mit den Wahrheitswerten (torch.where).</translation>
    </message>
    <message>
        <source>{0} is a TVMScript file: reading it runs the Python code in it.</source>
        <translation>{0} ist eine TVMScript-Datei: Wer sie liest, führt den Python-Code darin aus.</translation>
    </message>
    <message>
        <source>If you trust its origin, agree with --allow-code.</source>
        <translation>Wenn Sie ihrer Herkunft trauen, stimmen Sie mit --allow-code zu.</translation>
    </message>
    <message>
        <source>{0} has no function &quot;main&quot;.</source>
        <translation>{0} hat keine Funktion „main“.</translation>
    </message>
    <message>
        <source>Name the model&apos;s entry function main.</source>
        <translation>Nennen Sie die Einstiegsfunktion des Modells main.</translation>
    </message>
    <message>
        <source>{0} has a function whose parameters are not all buffers.</source>
        <translation>{0} hat eine Funktion, deren Parameter nicht alle Puffer sind.</translation>
    </message>
    <message>
        <source>Give it T.Buffer parameters, the last of them for its output.</source>
        <translation>Geben Sie ihr Parameter T.Buffer, den letzten für ihre Ausgabe.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; needs {1} sizes, has {2}.</source>
        <translation>„{0}“ braucht {1} Größen und hat {2}.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; in &quot;{1}&quot; is not understood.</source>
        <translation>„{0}“ in „{1}“ ist nicht verständlich.</translation>
    </message>
    <message>
        <source>The engine ended itself: {0}.</source>
        <translation>Die Engine beendete sich: {0}.</translation>
    </message>
    <message>
        <source>the phase {0} hung and could not be ended</source>
        <translation>Die Phase {0} hing und ließ sich nicht beenden</translation>
    </message>
    <message>
        <source>Resume the run: what was measured is kept, and the task that hung is left out.</source>
        <translation>Setzen Sie den Lauf fort: Was gemessen wurde, ist gesichert, und die Aufgabe, die hing, bleibt weg.</translation>
    </message>
    <message>
        <source>The engine met an error of its own: {0}.</source>
        <translation>Die Engine stieß auf einen eigenen Fehler: {0}.</translation>
    </message>
    <message>
        <source>{0} takes or gives a structure of which code would be a part.</source>
        <translation>{0} nimmt oder gibt eine Struktur, zu der Code gehören würde.</translation>
    </message>
    <message>
        <source>The task has no candidate {0}.</source>
        <translation>Die Aufgabe hat keinen Kandidaten {0}.</translation>
    </message>
    <message>
        <source>`pruner inspect` without --candidate shows the best.</source>
        <translation>`pruner inspect` ohne --candidate zeigt den besten.</translation>
    </message>
    <message>
        <source>The trace of candidate {0} was not kept.</source>
        <translation>Der Trace von Kandidat {0} wurde nicht behalten.</translation>
    </message>
    <message>
        <source>Choose a measured candidate.</source>
        <translation>Wählen Sie einen gemessenen Kandidaten.</translation>
    </message>
    <message>
        <source>Name one with --candidate.</source>
        <translation>Nennen Sie einen mit --candidate.</translation>
    </message>
    <message>
        <source>The export was stopped.</source>
        <translation>Der Export wurde gestoppt.</translation>
    </message>
    <message>
        <source>The same command begins anew: the project holds everything.</source>
        <translation>Derselbe Befehl beginnt von vorn: Das Projekt enthält alles.</translation>
    </message>
    <message>
        <source>{0} of its tuned kernels do not occur in the model as this version of the engine prepares it.</source>
        <translation>{0} seiner optimierten Kernel kommen im Modell nicht vor, wie diese Version der Engine es vorbereitet.</translation>
    </message>
    <message>
        <source>The outputs are not those of {0}: {1}.</source>
        <translation>Die Ausgaben sind nicht die von {0}: {1}.</translation>
    </message>
    <message>
        <source>Tune the model again to have them tuned.</source>
        <translation>Optimieren Sie das Modell noch einmal, damit auch sie optimiert sind.</translation>
    </message>
    <message>
        <source>Compare on inputs of your own before using it.</source>
        <translation>Vergleichen Sie auf eigenen Eingaben, bevor Sie es verwenden.</translation>
    </message>
    <message>
        <source>The engine did not understand a command: {0}.</source>
        <translation>Die Engine verstand einen Befehl nicht: {0}.</translation>
    </message>
    <message>
        <source>The engine is of another version than this program.</source>
        <translation>Die Engine ist von einer anderen Version als dieses Programm.</translation>
    </message>
    <message>
        <source>Install both anew.</source>
        <translation>Installieren Sie beide neu.</translation>
    </message>
    <message>
        <source>The engine gave no sign of life for {0} s and was ended.</source>
        <translation>Die Engine gab {0} s lang kein Lebenszeichen und wurde beendet.</translation>
    </message>
    <message>
        <source>Everything measured is in the project file: `pruner resume` goes on.</source>
        <translation>Alles Gemessene ist in der Projektdatei: `pruner resume` macht weiter.</translation>
    </message>
    <message>
        <source>The engine does not answer: {0}.</source>
        <translation>Die Engine antwortet nicht: {0}.</translation>
    </message>
    <message>
        <source>`pruner status` tells whether it works.</source>
        <translation>`pruner status` sagt, ob sie arbeitet.</translation>
    </message>
    <message>
        <source>The engine said something unknown: {0}.</source>
        <translation>Die Engine sagte etwas Unbekanntes: {0}.</translation>
    </message>
    <message>
        <source>Install engine and terminal of one version.</source>
        <translation>Installieren Sie Engine und Terminal von einer Version.</translation>
    </message>
    <message>
        <source>In {0} the outputs differ by at most {1} of the largest value from those in float32.</source>
        <translation>In {0} weichen die Ausgaben um höchstens {1} des größten Wertes von denen in float32 ab.</translation>
    </message>
    <message>
        <source>{0} knows none of the model&apos;s kernels.</source>
        <translation>{0} kennt keinen der Kernel des Modells.</translation>
    </message>
    <message>
        <source>Convolutions run channels last: about {0}, as the model has them {1}.</source>
        <translation>Faltungen rechnen mit Kanälen zuletzt: etwa {0}, wie das Modell sie hat {1}.</translation>
    </message>
    <message>
        <source>Convolutions stay as the model has them: about {0}, channels last {1}.</source>
        <translation>Faltungen bleiben, wie das Modell sie hat: etwa {0}, Kanäle zuletzt {1}.</translation>
    </message>
    <message>
        <source>{0} holds no kernel that could be tuned.</source>
        <translation>{0} enthält keinen Kernel, der sich optimieren ließe.</translation>
    </message>
    <message>
        <source>Check that it is the model you meant.</source>
        <translation>Prüfen Sie, ob es das gemeinte Modell ist.</translation>
    </message>
    <message>
        <source>There is no valid trial to write.</source>
        <translation>Es gibt keinen gültigen Versuch zu schreiben.</translation>
    </message>
    <message>
        <source>Tune the model first.</source>
        <translation>Optimieren Sie das Modell zuerst.</translation>
    </message>
    <message>
        <source>records of {0}</source>
        <translation>Messdaten von {0}</translation>
    </message>
    <message>
        <source>{0} holds tuning records already.</source>
        <translation>{0} enthält schon Messdaten.</translation>
    </message>
    <message>
        <source>No record of {0} fits a task of this project.</source>
        <translation>Kein Eintrag von {0} passt zu einer Aufgabe dieses Projekts.</translation>
    </message>
    <message>
        <source>It is empty.</source>
        <translation>Es ist leer.</translation>
    </message>
    <message>
        <source>TVM cannot apply it.</source>
        <translation>TVM kann es nicht anwenden.</translation>
    </message>
    <message>
        <source>Free some space, or choose another folder.</source>
        <translation>Geben Sie Platz frei, oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>This run has not come to tuning yet.</source>
        <translation>Dieser Lauf ist noch nicht zum Optimieren gekommen.</translation>
    </message>
    <message>
        <source>Resume it first.</source>
        <translation>Setzen Sie ihn zuerst fort.</translation>
    </message>
    <message>
        <source>This run was tuned on {0}, which is not this machine&apos;s device.</source>
        <translation>Dieser Lauf wurde auf {0} optimiert; das ist nicht das Gerät dieses Rechners.</translation>
    </message>
    <message>
        <source>Start a new run here: latencies of two devices must not be mixed.</source>
        <translation>Beginnen Sie hier einen neuen Lauf: Zeiten zweier Geräte dürfen sich nicht mischen.</translation>
    </message>
    <message>
        <source>The model in {0} is a TVMScript file: reading it runs the Python code in it.</source>
        <translation>Das Modell in {0} ist eine TVMScript-Datei: Wer sie liest, führt den Python-Code darin aus.</translation>
    </message>
    <message>
        <source>If you trust its origin, tune the file itself once on this machine with --allow-code.</source>
        <translation>Wenn Sie ihrer Herkunft trauen, optimieren Sie die Datei selbst einmal auf diesem Rechner mit --allow-code.</translation>
    </message>
    <message>
        <source>{0} is not the file that was tuned, and the project holds no copy of it.</source>
        <translation>{0} ist nicht die Datei, die optimiert wurde, und das Projekt enthält keine Kopie davon.</translation>
    </message>
    <message>
        <source>Put the original file back, or tune the new one.</source>
        <translation>Legen Sie die ursprüngliche Datei zurück, oder optimieren Sie die neue.</translation>
    </message>
    <message>
        <source>Run {0} does not tune task {1}.</source>
        <translation>Lauf {0} optimiert Aufgabe {1} nicht.</translation>
    </message>
    <message>
        <source>`pruner tasks --run` lists what it tunes.</source>
        <translation>`pruner tasks --run` nennt, was er optimiert.</translation>
    </message>
    <message>
        <source>This schedule cannot be built: a postprocessor refuses it.</source>
        <translation>Dieser Ablaufplan lässt sich nicht bauen: Ein Nachbearbeiter lehnt ihn ab.</translation>
    </message>
    <message>
        <source>Change a decision and try again.</source>
        <translation>Ändern Sie eine Entscheidung, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>No candidate could be measured ({0}). The first reason: {1}</source>
        <translation>Kein Kandidat ließ sich messen ({0}). Der erste Grund: {1}</translation>
    </message>
    <message>
        <source>No candidate was measured. {0}</source>
        <translation>Kein Kandidat wurde gemessen. {0}</translation>
    </message>
    <message>
        <source>stopped by the user</source>
        <translation>von Hand gestoppt</translation>
    </message>
    <message>
        <source>{0} is no seed.</source>
        <translation>{0} ist kein Startwert.</translation>
    </message>
    <message>
        <source>Give 0 or a larger number.</source>
        <translation>Geben Sie 0 oder eine größere Zahl an.</translation>
    </message>
    <message>
        <source>Run {0} has made {1} trials already, more than {2}.</source>
        <translation>Lauf {0} hat schon {1} Versuche gemacht, mehr als {2}.</translation>
    </message>
    <message>
        <source>Give a larger budget: what was spent is part of it.</source>
        <translation>Ein größeres Budget angeben: Was verbraucht ist, gehört dazu.</translation>
    </message>
    <message>
        <source>Run {0} has worked for {1} already, more than {2}.</source>
        <translation>Lauf {0} hat schon {1} gearbeitet, mehr als {2}.</translation>
    </message>
    <message>
        <source>There is no strategy &quot;{0}&quot;.</source>
        <translation>Es gibt keine Strategie „{0}“.</translation>
    </message>
    <message>
        <source>Use one of {0}, or name its plugin&apos;s file (--plugin).</source>
        <translation>Verwenden Sie eine von {0}, oder nennen Sie die Datei des Plugins (--plugin).</translation>
    </message>
    <message>
        <source>Every run of this project has spent its budget.</source>
        <translation>Jeder Lauf dieses Projekts hat sein Budget verbraucht.</translation>
    </message>
    <message>
        <source>Give a larger one with --trials or --minutes.</source>
        <translation>Geben Sie mit --trials oder --minutes ein größeres an.</translation>
    </message>
    <message>
        <source>The disk that holds {0} is nearly full: {1} MB are free.</source>
        <translation>Der Datenträger mit {0} ist fast voll: {1} MB sind frei.</translation>
    </message>
    <message>
        <source>Free some space: a run ends where the disk is full, and goes on with a resume.</source>
        <translation>Geben Sie Platz frei: Ein Lauf endet, wo der Datenträger voll ist, und lässt sich dann fortsetzen.</translation>
    </message>
    <message>
        <source>A budget of {0} {1} is no budget.</source>
        <translation>Ein Budget von {0} {1} ist kein Budget.</translation>
    </message>
    <message>
        <source>Give a number above zero.</source>
        <translation>Geben Sie eine Zahl über null an.</translation>
    </message>
    <message>
        <source>There is no rule or rewrite &quot;{0}&quot; to leave out.</source>
        <translation>Es gibt keine Regel oder Umformung „{0}“, die wegbleiben könnte.</translation>
    </message>
    <message>
        <source>Measure at least {0}.</source>
        <translation>Messen Sie mindestens {0}.</translation>
    </message>
    <message>
        <source>The project holds no task {0}.</source>
        <translation>Das Projekt enthält keine Aufgabe {0}.</translation>
    </message>
    <message>
        <source>`pruner tasks` lists them.</source>
        <translation>`pruner tasks` nennt sie.</translation>
    </message>
    <message>
        <source>The draft model knows nothing of the task&apos;s device.</source>
        <translation>Das Entwurfsmodell weiß nichts vom Gerät der Aufgabe.</translation>
    </message>
    <message>
        <source>Choose a task of a run tuned here.</source>
        <translation>Wählen Sie eine Aufgabe eines Laufs, der hier optimiert wurde.</translation>
    </message>
    <message>
        <source>The task has no sketch {0}.</source>
        <translation>Die Aufgabe hat keine Skizze {0}.</translation>
    </message>
    <message>
        <source>Choose another candidate; this one can be looked at.</source>
        <translation>Wählen Sie einen anderen Kandidaten; dieser lässt sich nur ansehen.</translation>
    </message>
    <message>
        <source>Candidates are built in {0}, which is mounted noexec: no kernel can be loaded from there.</source>
        <translation>Kandidaten werden in {0} gebaut; das ist mit noexec eingehängt: Kein Kernel lässt sich von dort laden.</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder on another disk.</source>
        <translation>Setzen Sie TMPDIR auf einen Ordner eines anderen Datenträgers.</translation>
    </message>
    <message>
        <source>The measurement process did not start. {0}</source>
        <translation>Der Messprozess startete nicht. {0}</translation>
    </message>
    <message>
        <source>Run `pruner doctor`.</source>
        <translation>Führen Sie `pruner doctor` aus.</translation>
    </message>
    <message>
        <source>No linker was found on this machine.</source>
        <translation>Auf diesem Rechner wurde kein Linker gefunden.</translation>
    </message>
    <message>
        <source>Install binutils, gcc, or the Python package ziglang.</source>
        <translation>Installieren Sie binutils, gcc oder das Python-Paket ziglang.</translation>
    </message>
    <message>
        <source>A plain kernel could not be measured: {0}</source>
        <translation>Ein einfacher Kernel ließ sich nicht messen: {0}</translation>
    </message>
    <message>
        <source>{0} was ended after {1} s.</source>
        <translation>Nach {1} s beendet: {0}.</translation>
    </message>
    <message>
        <source>{0}.onnx is not an ONNX model: it has no graph.</source>
        <translation>{0}.onnx ist kein ONNX-Modell: Es hat keinen Graphen.</translation>
    </message>
    <message>
        <source>{0}.onnx is not an ONNX model, or it is cut off.</source>
        <translation>{0}.onnx ist kein ONNX-Modell oder abgeschnitten.</translation>
    </message>
    <message>
        <source>The build</source>
        <translation>der Bau</translation>
    </message>
    <message>
        <source>The run</source>
        <translation>der Lauf</translation>
    </message>
    <message>
        <source>The measurement processes are ended from outside again and again.</source>
        <translation>Die Messprozesse werden immer wieder von außen beendet.</translation>
    </message>
    <message>
        <source>Look whether the system runs out of memory; nothing measured so far is lost.</source>
        <translation>Sehen Sie nach, ob dem System der Speicher ausgeht; nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>The disk that holds {0}, where candidates are built, is full.</source>
        <translation>Der Datenträger mit {0}, wo Kandidaten gebaut werden, ist voll.</translation>
    </message>
    <message>
        <source>Free some space, or set TMPDIR to a folder on another disk, then resume: nothing measured is lost.</source>
        <translation>Geben Sie Platz frei, oder setzen Sie TMPDIR auf einen Ordner eines anderen Datenträgers, und setzen Sie dann fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>The folder {0}, where candidates are built, was removed.</source>
        <translation>Der Ordner {0}, in dem Kandidaten gebaut werden, wurde entfernt.</translation>
    </message>
    <message>
        <source>Resume: nothing measured is lost. If something cleans that folder up, set TMPDIR to another one.</source>
        <translation>Setzen Sie fort: nichts Gemessenes ist verloren. Wenn etwas diesen Ordner aufräumt, setzen Sie TMPDIR auf einen anderen.</translation>
    </message>
    <message>
        <source>Start one, then resume: nothing measured so far is lost.</source>
        <translation>Starten Sie eines, und setzen Sie dann fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>The tracker {0} has no board &quot;{1}&quot;.</source>
        <translation>Der Tracker {0} hat kein Board „{1}“.</translation>
    </message>
    <message>
        <source>No tracker answers at {0}:{1}.</source>
        <translation>Unter {0}:{1} antwortet kein Tracker.</translation>
    </message>
    <message>
        <source>The board failed: {0}</source>
        <translation>Das Board versagte: {0}</translation>
    </message>
    <message>
        <source>There is no file {0}.</source>
        <translation>Es gibt keine Datei {0}.</translation>
    </message>
    <message>
        <source>Look for a mistake in its name or folder.</source>
        <translation>Suchen Sie einen Fehler in ihrem Namen oder Ordner.</translation>
    </message>
    <message>
        <source>The plugin {0} is no Python file that can be read.</source>
        <translation>Das Plugin {0} ist keine lesbare Python-Datei.</translation>
    </message>
    <message>
        <source>Name a .py file.</source>
        <translation>Nennen Sie eine .py-Datei.</translation>
    </message>
    <message>
        <source>Mend it, or leave it out.</source>
        <translation>Beheben Sie das, oder lassen Sie es weg.</translation>
    </message>
    <message>
        <source>{0} holds something else, which would be lost.</source>
        <translation>{0} enthält etwas anderes, das verloren ginge.</translation>
    </message>
    <message>
        <source>Begin a new run with another one.</source>
        <translation>Beginnen Sie einen neuen Lauf mit einem anderen.</translation>
    </message>
    <message>
        <source>There is no run {0} of {1} on the same device with the same float type.</source>
        <translation>Es gibt keinen Lauf {0} von {1} auf demselben Gerät mit demselben Zahlentyp.</translation>
    </message>
    <message>
        <source>No compiler for CUDA was found: neither NVRTC with its headers nor nvcc.</source>
        <translation>Kein Compiler für CUDA gefunden: weder NVRTC mit seinen Headern noch nvcc.</translation>
    </message>
    <message>
        <source>NVRTC {0} is there, but not the headers of its CUDA, and no nvcc was found.</source>
        <translation>NVRTC {0} ist da, aber die Header seines CUDA fehlen, und nvcc wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>the value of its option &quot;{0}&quot; is of the wrong kind.</source>
        <translation>Der Wert seiner Option „{0}“ ist von falscher Art.</translation>
    </message>
    <message>
        <source>the first GPU here is {0}, and CUDA_VISIBLE_DEVICES={1} chooses one of {2}</source>
        <translation>die erste GPU hier ist {0}, und CUDA_VISIBLE_DEVICES={1} wählt eine mit {2}</translation>
    </message>
    <message>
        <source>the NVIDIA driver {0} runs CUDA {1}.{2} at most, and CUDA 13 needs {3} or newer</source>
        <translation>der NVIDIA-Treiber {0} führt höchstens CUDA {1}.{2} aus, und CUDA 13 braucht {3} oder einen neueren</translation>
    </message>
    <message>
        <source>CUDA 13 runs on no GPU older than sm_{0}, and this is {1}</source>
        <translation>CUDA 13 läuft auf keiner GPU, die älter als sm_{0} ist, und diese ist {1}</translation>
    </message>
    <message>
        <source>No kernels run on {0}: {1}.</source>
        <translation>Auf {0} laufen keine Kernel: {1}.</translation>
    </message>
    <message>
        <source>`pruner doctor` tells what is there.</source>
        <translation>`pruner doctor` sagt, was da ist.</translation>
    </message>
    <message>
        <source>This file is not a Pruner Studio checkpoint.</source>
        <translation>Diese Datei ist kein Modellstand von Pruner Studio.</translation>
    </message>
    <message>
        <source>Use a checkpoint that `pruner train` wrote for this kind of model.</source>
        <translation>Nehmen Sie einen Modellstand, den `pruner train` für diese Art von Modell geschrieben hat.</translation>
    </message>
    <message>
        <source>This checkpoint holds a model of kind {0}, not {1}.</source>
        <translation>Dieser Modellstand enthält ein Modell der Art {0}, nicht {1}.</translation>
    </message>
    <message>
        <source>The checkpoint&apos;s layers are not those of this model.</source>
        <translation>Die Schichten des Modellstands sind nicht die dieses Modells.</translation>
    </message>
    <message>
        <source>The checkpoint holds weights that are not numbers.</source>
        <translation>Der Modellstand enthält Gewichte, die keine Zahlen sind.</translation>
    </message>
    <message>
        <source>The {0} is damaged: its header cannot be read.</source>
        <translation>Beschädigt ({0}): Der Kopf lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>The checkpoint is damaged: its recipe cannot be read.</source>
        <translation>Der Modellstand ist beschädigt: Seine Herkunft lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>The checkpoint is damaged: its weights cannot be read.</source>
        <translation>Der Modellstand ist beschädigt: Seine Gewichte lassen sich nicht lesen.</translation>
    </message>
    <message>
        <source>{0} is not a data set of measurements.</source>
        <translation>{0} ist kein Datensatz aus Messungen.</translation>
    </message>
    <message>
        <source>Use a file that `pruner collect` wrote.</source>
        <translation>Nehmen Sie eine Datei, die `pruner collect` geschrieben hat.</translation>
    </message>
    <message>
        <source>The data set {0} cannot be read: {1}.</source>
        <translation>Der Datensatz {0} lässt sich nicht lesen: {1}.</translation>
    </message>
    <message>
        <source>The data set {0} is damaged.</source>
        <translation>Der Datensatz {0} ist beschädigt.</translation>
    </message>
    <message>
        <source>There is no cost model named {0}.</source>
        <translation>Es gibt kein Kostenmodell namens {0}.</translation>
    </message>
    <message>
        <source>What is registered as the cost model &quot;{0}&quot; makes a {1}.</source>
        <translation>Was als Kostenmodell „{0}“ angemeldet ist, erzeugt ein Objekt der Art {1}.</translation>
    </message>
    <message>
        <source>The checkpoint&apos;s trees were grown on other features.</source>
        <translation>Die Bäume des Modellstands sind aus anderen Merkmalen gewachsen.</translation>
    </message>
    <message>
        <source>Use one that this tool wrote.</source>
        <translation>Nehmen Sie einen, den dieses Programm geschrieben hat.</translation>
    </message>
    <message>
        <source>A model of kind {0} is not trained offline.</source>
        <translation>Ein Modell der Art {0} wird nicht vorab trainiert.</translation>
    </message>
    <message>
        <source>Choose pacm-draft, pacm, tenset-mlp or tlp.</source>
        <translation>Wählen Sie pacm-draft, pacm, tenset-mlp oder tlp.</translation>
    </message>
    <message>
        <source>The data sets hold too few measurements to learn from.</source>
        <translation>Die Datensätze enthalten zu wenige Messungen, um daraus zu lernen.</translation>
    </message>
    <message>
        <source>Collect more with `pruner collect`.</source>
        <translation>Sammeln Sie mehr mit `pruner collect`.</translation>
    </message>
    <message>
        <source>The checkpoint {0} cannot be read: {1}.</source>
        <translation>Der Modellstand {0} lässt sich nicht lesen: {1}.</translation>
    </message>
    <message>
        <source>`pruner train` writes checkpoints.</source>
        <translation>`pruner train` schreibt Modellstände.</translation>
    </message>
    <message>
        <source>MoA-Pruner adapts a pre-trained model, and no {0} model is installed.</source>
        <translation>MoA-Pruner passt ein vortrainiertes Modell an, und kein Modell {0} ist installiert.</translation>
    </message>
    <message>
        <source>Make one with `pruner collect` and `pruner train`, then name it with --checkpoint.</source>
        <translation>Erzeugen Sie eines mit `pruner collect` und `pruner train`, und nennen Sie es mit --checkpoint.</translation>
    </message>
    <message>
        <source>A model of kind {0} cannot be adapted.</source>
        <translation>Ein Modell der Art {0} lässt sich nicht anpassen.</translation>
    </message>
    <message>
        <source>Use pacm-draft, pacm, tenset-mlp or tlp.</source>
        <translation>Verwenden Sie pacm-draft, pacm, tenset-mlp oder tlp.</translation>
    </message>
    <message>
        <source>The run does not tune task {0}.</source>
        <translation>Der Lauf optimiert Aufgabe {0} nicht.</translation>
    </message>
    <message>
        <source>It may come from a rule that is not loaded.</source>
        <translation>Sie kann von einer Regel stammen, die nicht geladen ist.</translation>
    </message>
    <message>
        <source>`pruner tune --help` lists the settings.</source>
        <translation>`pruner tune --help` nennt die Einstellungen.</translation>
    </message>
    <message>
        <source>{0} is tuned no more: {1}.</source>
        <translation>{0} wird nicht weiter optimiert: {1}.</translation>
    </message>
    <message>
        <source>The other tasks go on; its default kernel is exported.</source>
        <translation>Die anderen Aufgaben gehen weiter; exportiert wird sein Kernel ohne Optimierung.</translation>
    </message>
    <message>
        <source>{0}: its candidates&apos; outputs are not checked, since the untuned kernel gave none to compare them with ({1}).</source>
        <translation>{0}: Die Ausgaben seiner Kandidaten werden nicht geprüft, weil der nicht optimierte Kernel keine zum Vergleich lieferte ({1}).</translation>
    </message>
    <message>
        <source>An export compares the outputs of the whole model.</source>
        <translation>Ein Export vergleicht die Ausgaben des ganzen Modells.</translation>
    </message>
    <message>
        <source>{0}: every candidate that the search finds is measured.</source>
        <translation>{0}: Jeder Kandidat, den die Suche findet, ist gemessen.</translation>
    </message>
    <message>
        <source>{0}: {1} cannot be built.</source>
        <translation>{0}: {1} lässt sich nicht bauen.</translation>
    </message>
    <message>
        <source>Pin another row.</source>
        <translation>Heften Sie eine andere Zeile an.</translation>
    </message>
    <message>
        <source>{0}: the untuned kernel failed ({1}).</source>
        <translation>{0}: Der nicht optimierte Kernel schlug fehl ({1}).</translation>
    </message>
    <message>
        <source>{0} GFLOP/s, outputs right</source>
        <translation>{0} GFLOP/s, Ausgaben richtig</translation>
    </message>
    <message>
        <source>The project file tells of a decision that makes no sense.</source>
        <translation>Die Projektdatei nennt eine Entscheidung, die keinen Sinn ergibt.</translation>
    </message>
    <message>
        <source>Restore a copy of it.</source>
        <translation>Stellen Sie eine Kopie davon wieder her.</translation>
    </message>
    <message>
        <source>Give one value each.</source>
        <translation>Geben Sie jeder einen Wert.</translation>
    </message>
    <message>
        <source>{0} is no value of the decision {1}.</source>
        <translation>{0} ist kein Wert der Entscheidung {1}.</translation>
    </message>
    <message>
        <source>Tile factors must multiply to the loop&apos;s extent and keep the sketch&apos;s limits.</source>
        <translation>Kachelfaktoren müssen als Produkt die Länge der Schleife ergeben und die Grenzen der Skizze einhalten.</translation>
    </message>
    <message>
        <source>The trace does not fit the task {0}.</source>
        <translation>Der Trace passt nicht zur Aufgabe {0}.</translation>
    </message>
    <message>
        <source>It may be of another task.</source>
        <translation>Er kann von einer anderen Aufgabe sein.</translation>
    </message>
    <message>
        <source>The postprocessor {0} refuses this schedule of {1}.</source>
        <translation>Der Nachbearbeiter {0} lehnt diesen Ablaufplan von {1} ab.</translation>
    </message>
    <message>
        <source>{0} holds no run yet.</source>
        <translation>{0} enthält noch keinen Lauf.</translation>
    </message>
    <message>
        <source>Tune a model into it first.</source>
        <translation>Optimieren Sie zuerst ein Modell hinein.</translation>
    </message>
    <message>
        <source>{0} holds no run that compares with run {1} of {2}: its runs are {3}.</source>
        <translation>{0} enthält keinen Lauf, der sich mit Lauf {1} von {2} vergleichen lässt: Seine Läufe sind {3}.</translation>
    </message>
    <message>
        <source>Only runs of one model file on one device with one float type are laid over each other.</source>
        <translation>Nur Läufe einer Modelldatei auf einem Gerät mit einem Zahlentyp werden übereinandergelegt.</translation>
    </message>
    <message>
        <source>`pruner status` lists the runs.</source>
        <translation>`pruner status` nennt die Läufe.</translation>
    </message>
    <message>
        <source>The folder {0} cannot be written: {1}.</source>
        <translation>Der Ordner {0} lässt sich nicht beschreiben: {1}.</translation>
    </message>
    <message>
        <source>Choose a folder that you may write, or copy the project to one.</source>
        <translation>Wählen Sie einen Ordner, in den Sie schreiben dürfen, oder kopieren Sie das Projekt in einen solchen.</translation>
    </message>
    <message>
        <source>Another engine works on this project ({0} is locked).</source>
        <translation>Eine andere Engine arbeitet an diesem Projekt ({0} ist gesperrt).</translation>
    </message>
    <message>
        <source>The folder {0} takes no locks: {1}.</source>
        <translation>Der Ordner {0} nimmt keine Sperren an: {1}.</translation>
    </message>
    <message>
        <source>Copy the project to a disk of this machine.</source>
        <translation>Kopieren Sie das Projekt auf einen Datenträger dieses Rechners.</translation>
    </message>
    <message>
        <source>The folder of {0} was moved while the engine worked on it; the project is {1} now.</source>
        <translation>Der Ordner von {0} wurde verschoben, während die Engine daran arbeitete; das Projekt ist jetzt {1}.</translation>
    </message>
    <message>
        <source>{0} was replaced by another file while the engine worked on it; the work is in {1} beside it.</source>
        <translation>{0} wurde durch eine andere Datei ersetzt, während die Engine daran arbeitete; die Arbeit liegt daneben in {1}.</translation>
    </message>
    <message>
        <source>Resume that one: nothing measured is lost.</source>
        <translation>Setzen Sie diese fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>Start it there with `pruner tracker --host {0} --port {1}`.</source>
        <translation>Dort mit `pruner tracker --host {0} --port {1}` starten.</translation>
    </message>
    <message>
        <source>Name another file, or remove this one first.</source>
        <translation>Eine andere Datei nennen oder diese zuerst entfernen.</translation>
    </message>
    <message>
        <source>{0} could not be used: {1}.</source>
        <translation>{0} ließ sich nicht verwenden: {1}.</translation>
    </message>
    <message>
        <source>Check the disk, then resume: nothing measured is lost.</source>
        <translation>Prüfen Sie den Datenträger, und setzen Sie dann fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>{0} was removed while the engine worked on it; it has been written anew.</source>
        <translation>{0} wurde entfernt, während die Engine daran arbeitete; es wurde neu geschrieben.</translation>
    </message>
    <message>
        <source>Resume: nothing measured is lost.</source>
        <translation>Setzen Sie fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>The disk that holds {0} is full.</source>
        <translation>Der Datenträger mit {0} ist voll.</translation>
    </message>
    <message>
        <source>Free some space, then resume: nothing measured is lost.</source>
        <translation>Geben Sie Platz frei, und setzen Sie dann fort: Nichts Gemessenes ist verloren.</translation>
    </message>
    <message>
        <source>{0} cannot be written.</source>
        <translation>{0} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>Check its permissions, or copy it to a folder that you may write.</source>
        <translation>Prüfen Sie die Rechte, oder kopieren Sie es in einen Ordner, in den Sie schreiben dürfen.</translation>
    </message>
    <message>
        <source>{0} is locked by another program.</source>
        <translation>{0} ist von einem anderen Programm gesperrt.</translation>
    </message>
    <message>
        <source>Close the program that has it open, then try again.</source>
        <translation>Schließen Sie das Programm, das es geöffnet hat, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>{0} is damaged or not a project ({1}).</source>
        <translation>{0} ist beschädigt oder kein Projekt ({1}).</translation>
    </message>
    <message>
        <source>Restore it and its -wal and -shm files from a copy, or tune into a new file.</source>
        <translation>Stellen Sie es und seine Dateien -wal und -shm aus einer Kopie wieder her, oder optimieren Sie in eine neue Datei.</translation>
    </message>
    <message>
        <source>There is no folder {0}.</source>
        <translation>Es gibt keinen Ordner {0}.</translation>
    </message>
    <message>
        <source>Make it first, or choose another place.</source>
        <translation>Legen Sie ihn zuerst an, oder wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>There is no project file {0}.</source>
        <translation>Es gibt keine Projektdatei {0}.</translation>
    </message>
    <message>
        <source>Check the path, or tune a model into it first.</source>
        <translation>Prüfen Sie den Pfad, oder optimieren Sie zuerst ein Modell hinein.</translation>
    </message>
    <message>
        <source>{0} cannot be read as a project: {1}.</source>
        <translation>{0} lässt sich nicht als Projekt lesen: {1}.</translation>
    </message>
    <message>
        <source>Choose a .pruner file that Pruner Studio wrote, or restore this one and its -wal and -shm files from a copy.</source>
        <translation>Wählen Sie eine .pruner-Datei, die Pruner Studio geschrieben hat, oder stellen Sie diese und ihre Dateien -wal und -shm aus einer Kopie wieder her.</translation>
    </message>
    <message>
        <source>The path {0} is longer than the {1} bytes that SQLite takes.</source>
        <translation>Der Pfad {0} ist länger als die {1} Bytes, die SQLite annimmt.</translation>
    </message>
    <message>
        <source>Put the project into a folder with a shorter path.</source>
        <translation>Legen Sie das Projekt in einen Ordner mit kürzerem Pfad.</translation>
    </message>
    <message>
        <source>The newest part of {0} is in {1}-wal, which cannot be read in a folder that is not yours.</source>
        <translation>Der neueste Teil von {0} liegt in {1}-wal; das lässt sich in einem fremden Ordner nicht lesen.</translation>
    </message>
    <message>
        <source>Copy both files to a folder that you may write, and open the copy.</source>
        <translation>Kopieren Sie beide Dateien in einen Ordner, in den Sie schreiben dürfen, und öffnen Sie die Kopie.</translation>
    </message>
    <message>
        <source>{0} holds no run {1}.</source>
        <translation>{0} enthält keinen Lauf {1}.</translation>
    </message>
    <message>
        <source>The current folder was removed.</source>
        <translation>Der aktuelle Ordner wurde entfernt.</translation>
    </message>
    <message>
        <source>Change to another one, or name files in full.</source>
        <translation>Wechseln Sie in einen anderen, oder nennen Sie Dateien mit vollem Pfad.</translation>
    </message>
    <message>
        <source>The board &quot;{0}&quot; is {1}, its kernels use one core.</source>
        <translation>Das Board „{0}“ ist {1}, seine Kernel nutzen einen Kern.</translation>
    </message>
    <message>
        <source>One row was pinned too late: the run had ended before it took it.</source>
        <translation>Eine Zeile wurde zu spät angeheftet: Der Lauf war zu Ende, bevor er sie übernahm.</translation>
    </message>
    <message>
        <source>Pin again for when it goes on.</source>
        <translation>Heften Sie erneut an, für die Fortsetzung des Laufs.</translation>
    </message>
    <message>
        <source>Kernels that start with what {0} knows of them: {1} of {2}.</source>
        <translation>Kernel, die mit dem beginnen, was {0} von ihnen weiß: {1} von {2}.</translation>
    </message>
    <message>
        <source>The run kept no model, and measured too few candidates of this task to train one on: {0}.</source>
        <translation>Der Lauf hat kein Modell behalten, und gemessen sind zu wenige Kandidaten dieser Aufgabe, um eines zu lernen: {0}.</translation>
    </message>
    <message>
        <source>With kernels as the draft would have them it failed, so that these stay untuned: {0}</source>
        <translation>Mit Kerneln, wie der Entwurf sie hätte, schlug es fehl, sodass diese ohne Optimierung bleiben: {0}</translation>
    </message>
    <message>
        <source>Tune longer: what was measured is right.</source>
        <translation>Optimieren Sie länger: Was gemessen wurde, stimmt.</translation>
    </message>
    <message>
        <source>The name of the model is empty.</source>
        <translation>Der Name des Modells ist leer.</translation>
    </message>
    <message>
        <source>The plugin {0} fails in line {1}: {2}.</source>
        <translation>Das Plugin {0} versagt in Zeile {1}: {2}.</translation>
    </message>
    <message>
        <source>The plugin {0} fails{1}: {2}: {3}.</source>
        <translation>Das Plugin {0} versagt{1}: {2}: {3}.</translation>
    </message>
    <message>
        <source>{0}: sketches without a closed form: {1} of {2}.</source>
        <translation>{0}: Skizzen ohne geschlossene Form: {1} von {2}.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; tells what is no figure: {1}.</source>
        <translation>Die Strategie „{0}“ meldet etwas, das keine Zahl ist: {1}.</translation>
    </message>
    <message>
        <source>The strategy &quot;{0}&quot; has kept what is no checkpoint: {1}.</source>
        <translation>Die Strategie „{0}“ hat etwas aufbewahrt, das kein Modellstand ist: {1}.</translation>
    </message>
    <message>
        <source>Values given: {0}; decisions of the sketch: {1}.</source>
        <translation>Angegebene Werte: {0}; Entscheidungen der Skizze: {1}.</translation>
    </message>
    <message>
        <source>`pruner status` lists its runs.</source>
        <translation>`pruner status` nennt seine Läufe.</translation>
    </message>
    <message>
        <source>{0} is not a project of Pruner Studio.</source>
        <translation>{0} ist kein Projekt von Pruner Studio.</translation>
    </message>
    <message>
        <source>Choose a .pruner file.</source>
        <translation>Wählen Sie eine .pruner-Datei.</translation>
    </message>
    <message>
        <source>{0} was written by a newer version of Pruner Studio (its schema has {1}).</source>
        <translation>{0} wurde von einer neueren Version von Pruner Studio geschrieben (ihr Schema hat {1}).</translation>
    </message>
    <message>
        <source>Update Pruner Studio to open it; the file was left as it is.</source>
        <translation>Aktualisieren Sie Pruner Studio, um es zu öffnen; die Datei blieb, wie sie ist.</translation>
    </message>
    <message>
        <source>Install the CUDA toolkit with nvcc and a C++ compiler, or: pip install cuda-bindings nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl.</source>
        <translation>Installieren Sie das CUDA-Toolkit mit nvcc und einen C++-Compiler, oder: pip install cuda-bindings nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl.</translation>
    </message>
    <message>
        <source>nvcc is there, but not the C++ compiler that it needs.</source>
        <translation>nvcc ist da, aber nicht der C++-Compiler, den es braucht.</translation>
    </message>
    <message>
        <source>Install g++, or NVRTC.</source>
        <translation>Installieren Sie g++ oder NVRTC.</translation>
    </message>
    <message>
        <source>TVM&apos;s CUDA runtime could not be loaded: it needs {0}.</source>
        <translation>TVMs CUDA-Laufzeit ließ sich nicht laden: Sie braucht {0}.</translation>
    </message>
    <message>
        <source>Compiling for a GPU without a driver needs the linker ld.</source>
        <translation>Um ohne Treiber für eine GPU zu übersetzen, braucht es den Linker ld.</translation>
    </message>
    <message>
        <source>Install binutils.</source>
        <translation>Installieren Sie binutils.</translation>
    </message>
    <message>
        <source>{0} is not a device description: {1}</source>
        <translation>{0} ist keine Gerätebeschreibung: {1}</translation>
    </message>
    <message>
        <source>Correct it after the shipped ones, or remove it.</source>
        <translation>Berichtigen Sie sie nach den mitgelieferten, oder entfernen Sie sie.</translation>
    </message>
    <message>
        <source>{0} is not a device of this machine: it cannot be measured here.</source>
        <translation>{0} ist kein Gerät dieses Rechners: Es lässt sich hier nicht messen.</translation>
    </message>
    <message>
        <source>`pruner targets` lists what is here.</source>
        <translation>`pruner targets` nennt, was hier ist.</translation>
    </message>
    <message>
        <source>{0} could not be measured: {1}.</source>
        <translation>{0} ließ sich nicht messen: {1}.</translation>
    </message>
    <message>
        <source>`pruner doctor` checks whether kernels run here.</source>
        <translation>`pruner doctor` prüft, ob Kernel hier laufen.</translation>
    </message>
    <message>
        <source>Measure on a device that can, with --rpc and --key (`pruner serve` lends one), or tune for auto.</source>
        <translation>Messen Sie mit --rpc und --key auf einem Gerät, das es kann (`pruner serve` verleiht eines), oder optimieren Sie für auto.</translation>
    </message>
    <message>
        <source>There is no GPU &quot;{0}&quot;: {1}.</source>
        <translation>Es gibt keine GPU „{0}“: {1}.</translation>
    </message>
    <message>
        <source>{0} found</source>
        <translation>{0} gefunden</translation>
    </message>
    <message>
        <source>no NVIDIA driver answers on this machine</source>
        <translation>Auf diesem Rechner antwortet kein NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>Name its architecture instead, such as {&quot;kind&quot;:&quot;cuda&quot;,&quot;arch&quot;:&quot;sm_90&quot;}.</source>
        <translation>Nennen Sie stattdessen ihre Architektur, etwa {&quot;kind&quot;:&quot;cuda&quot;,&quot;arch&quot;:&quot;sm_90&quot;}.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is not the GPU that kernels would run on: that is always the first.</source>
        <translation>„{0}“ ist nicht die GPU, auf der Kernel laufen würden: Das ist immer die erste.</translation>
    </message>
    <message>
        <source>Set CUDA_VISIBLE_DEVICES={0} and use &quot;cuda&quot;.</source>
        <translation>Setzen Sie CUDA_VISIBLE_DEVICES={0}, und verwenden Sie „cuda“.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is not a target: {1}</source>
        <translation>„{0}“ ist kein Ziel: {1}</translation>
    </message>
    <message>
        <source>Of {count} dropped files {name} was taken.</source>
        <translation>Von {count} abgelegten Dateien wurde {name} genommen.</translation>
    </message>
    <message>
        <source>Drop one model or project at a time.</source>
        <translation>Legen Sie ein Modell oder Projekt nach dem anderen ab.</translation>
    </message>
    <message>
        <source>{path} is not there any more: it was moved, renamed or removed.</source>
        <translation>{path} ist nicht mehr da: verschoben, umbenannt oder gelöscht.</translation>
    </message>
    <message>
        <source>What it held is still shown. Open it where it is now, or keep it by File › Save a copy…</source>
        <translation>Was darin stand, wird noch gezeigt. Öffnen Sie es, wo es jetzt ist, oder bewahren Sie es mit Datei › Kopie speichern… auf.</translation>
    </message>
    <message>
        <source>Does the model choose by one of these? Give the value that you run: it becomes a constant.</source>
        <translation>Wählt das Modell nach einem von diesen? Geben Sie den Wert an, mit dem es läuft: Er wird zur Konstante.</translation>
    </message>
    <message>
        <source>any value</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>Value of input {name}</source>
        <translation>Wert des Eingangs {name}</translation>
    </message>
    <message>
        <source>Columns without room: {columns}</source>
        <translation>Spalten ohne Platz: {columns}</translation>
    </message>
    <message>
        <source>Show &amp;all</source>
        <translation>&amp;Alle zeigen</translation>
    </message>
    <message>
        <source>As many as there is &amp;room for</source>
        <translation>So viele, wie &amp;Platz haben</translation>
    </message>
    <message>
        <source>The device is being measured: wait until that has ended.</source>
        <translation>Das Gerät wird gerade gemessen: Warten Sie, bis das beendet ist.</translation>
    </message>
    <message>
        <source>A schedule is being measured: wait until that has ended.</source>
        <translation>Ein Ablaufplan wird gerade gemessen: Warten Sie, bis das beendet ist.</translation>
    </message>
    <message>
        <source>A schedule is being pinned: wait until that has ended.</source>
        <translation>Ein Ablaufplan wird gerade angeheftet: Warten Sie, bis das beendet ist.</translation>
    </message>
    <message>
        <source>Records are being imported: wait until that has ended.</source>
        <translation>Messdaten werden gerade importiert: Warten Sie, bis das beendet ist.</translation>
    </message>
    <message>
        <source>Name the whole path of the folder, which begins with {root}.</source>
        <translation>Nennen Sie den ganzen Pfad des Ordners, der mit {root} beginnt.</translation>
    </message>
    <message>
        <source>{path} is no folder.</source>
        <translation>{path} ist kein Ordner.</translation>
    </message>
    <message>
        <source>{path} cannot be written.</source>
        <translation>In {path} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>Usage: pruner-studio [PROJECT or MODEL]

  Open the window; on a project or on a model to tune where one is named.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.</source>
        <translation>Aufruf: pruner-studio [PROJEKT oder MODELL]

  Öffnet das Fenster; mit einem Projekt oder einem zu optimierenden Modell, wo eines genannt ist.

Optionen:
  --version   Nennt die Version.
  -h, --help  Zeigt diesen Text.</translation>
    </message>
    <message>
        <source>pruner-studio, version {version}</source>
        <translation>pruner-studio, Version {version}</translation>
    </message>
    <message>
        <source>There is no option {name}: `pruner-studio --help` tells which there are.</source>
        <translation>Es gibt keine Option {name}: `pruner-studio --help` nennt alle.</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>keine Berechtigung</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>das ist nicht erlaubt</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>das Dateisystem ist schreibgeschützt</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>kein Platz mehr auf dem Datenträger</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>das Kontingent an Speicherplatz ist erschöpft</translation>
    </message>
    <message>
        <source>File too large</source>
        <translation>die Datei ist zu groß</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>keine solche Datei und kein solcher Ordner</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>das gibt es schon</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>das ist kein Ordner</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>das ist ein Ordner</translation>
    </message>
    <message>
        <source>Directory not empty</source>
        <translation>der Ordner ist nicht leer</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>der Name ist zu lang</translation>
    </message>
    <message>
        <source>Invalid argument</source>
        <translation>ungültiges Argument</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>zu viele symbolische Verknüpfungen hintereinander</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>zu viele offene Dateien</translation>
    </message>
    <message>
        <source>Too many open files in system</source>
        <translation>zu viele offene Dateien im System</translation>
    </message>
    <message>
        <source>Cannot allocate memory</source>
        <translation>zu wenig Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Resource temporarily unavailable</source>
        <translation>im Augenblick nicht verfügbar</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>Fehler beim Lesen oder Schreiben</translation>
    </message>
    <message>
        <source>No such device or address</source>
        <translation>kein solches Gerät</translation>
    </message>
    <message>
        <source>Stale file handle</source>
        <translation>die Datei gibt es auf dem Server nicht mehr</translation>
    </message>
    <message>
        <source>Text file busy</source>
        <translation>das Programm läuft gerade</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>das Gerät ist belegt</translation>
    </message>
    <message>
        <source>Broken pipe</source>
        <translation>die Gegenseite liest nicht mehr</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>die Verbindung wurde abgelehnt</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>die Gegenseite hat die Verbindung abgebrochen</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>die Gegenseite antwortet nicht</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>das Netz ist nicht erreichbar</translation>
    </message>
    <message>
        <source>No route to host</source>
        <translation>kein Weg zu diesem Rechner</translation>
    </message>
    <message>
        <source>database or disk is full</source>
        <translation>der Datenträger ist voll</translation>
    </message>
    <message>
        <source>disk I/O error</source>
        <translation>Fehler beim Lesen oder Schreiben des Datenträgers</translation>
    </message>
    <message>
        <source>unable to open database file</source>
        <translation>die Datei lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>attempt to write a readonly database</source>
        <translation>die Datei ist schreibgeschützt</translation>
    </message>
    <message>
        <source>What you choose is not kept for the next start: {path} cannot be written.</source>
        <translation>Was Sie wählen, bleibt nicht bis zum nächsten Start erhalten: {path} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>Make the file and its folder writable; until then recent projects and sizes are forgotten, too.</source>
        <translation>Machen Sie die Datei und ihren Ordner beschreibbar; bis dahin werden auch letzte Projekte und Größen vergessen.</translation>
    </message>
</context>
</TS>
