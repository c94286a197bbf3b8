package approval

import "strings"

// publishing is the beginning of a command, options left out, and its category.
type publishing struct {
	words    string // empty: every use
	category Category
}

// publishers are programs that publish, deploy or destroy in places that others
// use, with the beginnings of the commands that do.
var publishers = publishTable(`
cargo publish: publish, yank, owner
twine publish: upload
gem publish: push, yank
mvn publish: deploy
helm publish: push
helm container: install, upgrade, uninstall, delete, rollback
vsce publish: publish
gh publish: release create, release upload, gist create, repo create, repo edit, pr merge, workflow run
gh delete: release delete, gist delete, repo delete, repo archive, issue delete
gh sensitive_file: secret, auth token
glab publish: release create, mr merge
glab delete: repo delete
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

// publish judges the programs of the table.
func (c call) publish() {
	var plain []string
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "--prod") {
			plain = append(plain, a.text)
		}
	}
	line := strings.Join(plain, " ") + " "
	for _, p := range publishers[c.name] {
		found := strings.HasPrefix(line, p.words+" ") || p.words == "" && len(c.args) > 0
		if c.name == "mvn" || c.name == "vercel" { // anywhere among the goals
			found = strings.Contains(" "+line, " "+p.words+" ")
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

// rehearses reports whether an option says that nothing is done for real.
func (c call) rehearses() bool {
	for _, a := range c.args {
		switch text := a.text; {
		case text == "--dry-run", strings.HasPrefix(text, "--dry-run=") && text != "--dry-run=none",
			text == "--dryrun", text == "--help", text == "--version", text == "--check", text == "--list-tasks":
			return true
		}
	}
	return false
}
