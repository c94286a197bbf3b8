package shellrisk

import (
	"slices"
	"strings"
	"sync"
)

// publishing is the beginning of a command, options left out, and its category.
type publishing struct {
	words    string // empty: every use
	category Category
}

// publishers are programs that publish, deploy or destroy in places that others
// use, with the beginnings of the commands that do.
var publishers = sync.OnceValue(func() map[string][]publishing {
	return publishTable(`
cargo publish: publish, yank, owner
twine publish: upload
gem publish: push, yank
mvn publish: deploy
helm publish: push, cm-push
buildah publish: push
ko publish: build, apply, resolve, publish
flit publish: publish
pdm publish: publish
changeset publish: publish
semantic-release publish:
release-it publish:
rake publish: release
gradle publish: publish
gradlew publish: publish
sbt publish: publish, publishSigned
flutter publish: pub publish
helm container: install, upgrade, uninstall, delete, rollback
vsce publish: publish
gh publish: release create, release upload, release edit, gist create, gist edit, repo create, repo edit, repo fork, repo rename, repo sync, workflow run
gh publish: pr create, pr merge, pr comment, pr review, pr edit, pr close, pr reopen, pr ready, issue create, issue comment, issue edit, issue close, issue reopen
gh delete: release delete, gist delete, repo delete, repo archive, issue delete
gh sensitive_file: secret, auth token
aws sensitive_file: sts get-session-token, configure export-credentials, secretsmanager get-secret-value
pass sensitive_file: show
op sensitive_file: read, item get
vault sensitive_file: read, kv get
glab publish: release create, mr create, mr merge, mr note, mr approve, mr close, issue create, issue note, issue close
hg publish: push
jj publish: git push
svn publish: commit, ci, import
nuget publish: push
dotnet publish: nuget push
skopeo publish: copy, sync
crane publish: push, copy
oras publish: push
lerna publish: publish
goreleaser publish: release
mix publish: hex.publish
dart publish: pub publish
glab delete: repo delete
kubectl sensitive_file: get secret, get secrets, describe secret
kubectl container: delete, apply, replace, drain, scale, rollout restart, rollout undo, exec, patch, edit, create, cordon
oc container: delete, apply, exec
terraform service: apply, import, taint
terraform delete: destroy, state rm
tofu service: apply, import, taint
tofu delete: destroy, state rm
pulumi service: up
pulumi delete: destroy
ansible remote_exec:
ansible-playbook remote_exec:
aws exfiltration: s3 cp, s3 sync, s3 mv
aws delete: s3 rm, s3 rb, ec2 terminate-instances, cloudformation delete-stack
aws delete: rds delete-db-instance, lambda delete-function
aws service: ec2 stop-instances
aws privilege: iam create-access-key, iam attach-user-policy, iam put-user-policy, iam delete-user
gsutil exfiltration: cp, rsync, mv
gsutil delete: rm, rb
gcloud publish: app deploy, run deploy, functions deploy
gcloud delete: projects delete, compute instances delete
az delete: group delete, vm delete
az exfiltration: storage blob upload
fly publish: deploy
fly delete: apps destroy
flyctl publish: deploy
flyctl delete: apps destroy
vercel publish: deploy, --prod
vercel delete: remove
netlify publish: deploy
firebase publish: deploy
wrangler publish: deploy, publish
wrangler delete: delete
heroku delete: apps:destroy
heroku database: pg:reset
heroku remote_exec: run
virsh container: destroy, undefine, shutdown
vagrant container: destroy, halt
lxc container: delete, stop
ngrok remote_exec:
cloudflared remote_exec: tunnel
rails database: db:drop, db:reset
rails indirect_exec: runner
rake database: db:drop, db:reset
artisan database: migrate:fresh, db:wipe
prisma database: migrate reset
`)
})

// publishTable reads lines of a program, a category and beginnings.
func publishTable(text string) map[string][]publishing {
	table := map[string][]publishing{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		head, begins, _ := strings.Cut(strings.TrimSpace(line), ":")
		program, category, _ := strings.Cut(head, " ")
		for begin := range strings.SplitSeq(begins, ",") {
			table[program] = append(table[program], publishing{strings.TrimSpace(begin), Category(category)})
		}
	}
	return table
}

// goals are programs that are told what to do anywhere among their arguments, of a project
// behind colons.
var goals = words(`mvn vercel gradle gradlew sbt rake`)

// publish judges the programs of the table.
func (c call) publish() {
	if c.name == "gh" || c.name == "glab" {
		c.j.online(c.name)
	}
	for _, p := range publishers()[c.name] {
		found := c.begins(strings.Fields(p.words)) && (len(c.args) > 0 || p == publishing{category: CatPublish})
		if goals[c.name] {
			found = slices.ContainsFunc(c.args, func(a arg) bool { return a.text[strings.LastIndex(a.text, ":")+1:] == p.words })
		}
		if found && !c.rehearses() {
			c.j.ask(p.category, "publishes, deploys or removes what others may use", append([]string{c.name}, show(c.args)...)...)
			return
		}
	}
	if c.name == "kubectl" || c.name == "gh" {
		return
	}
	if len(c.args) > 0 && c.args[0].mayBeOption() {
		c.j.ask(CatObfuscated, "does what cannot be known beforehand", c.name, c.args[0].show())
	}
}

// begins reports whether the operands may begin with these words. Which options take
// a value is not known, so the word behind one is taken for either.
func (c call) begins(verbs []string) bool {
	at := map[int]bool{0: true}
	for n := 0; ; n++ {
		for i, a := range c.args {
			if at[i] && (strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+")) {
				at[i+1] = true
				at[i+2] = at[i+2] || a.text[0] == '-' && !strings.Contains(a.text, "=")
			}
		}
		if n == len(verbs) {
			return len(at) > 0
		}
		next := map[int]bool{}
		for i, a := range c.args {
			if at[i] && a.text == verbs[n] {
				next[i+1] = true
			}
		}
		at = next
	}
}

// rehearses reports whether an option says that nothing is done for real. One that is
// taken back, or may be the value of another, does not.
func (c call) rehearses() bool {
	rehearsal := false
	for i, a := range c.args {
		name, value, _ := strings.Cut(a.text, "=")
		switch name {
		case "--dry-run", "--dryrun":
			rehearsal = value != "none" && value != "false" && value != "no" && value != "0" && !hasHole(value)
		case "--check", "--list-tasks":
			rehearsal = true
		case "--no-dry-run", "--no-dryrun":
			rehearsal = false
		case "--help", "--version":
			rehearsal = rehearsal || i == len(c.args)-1 && (i == 0 || !strings.HasPrefix(c.args[i-1].text, "-"))
		}
	}
	return rehearsal
}
