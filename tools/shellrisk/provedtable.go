package shellrisk

import (
	"strings"
	"sync"
)

// provable are the programs that can be proved to only read. A line holds the
// name of a program, or several with commas between them; what it takes as
// operands, with the most it may get; its short options in one word, or a dash for none;
// and its long ones. Behind an option stands what it takes: nothing for a flag, ":" or "=" a
// text, "<" a file it reads, "?" a text joined to it, "!" the pattern that would be an
// operand otherwise. A long option that begins with a dash has just that one.
//
// Only options with which the program starts, writes and sends nothing are here, and
// none that makes it read files whose names are in a file. Options are taken
// only as they are spelled here. An option that is no value in one version of a program
// and has one in another is left out where that matters.
var provable = sync.OnceValue(func() map[string]*provedProgram {
	return provableTable(`
cat files AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting
tac files bs: before separator=
rev files -
nl files b:d:f:h:i:l:n:s:v:w:p body-numbering= number-format= starting-line-number= number-width= number-separator=
head files c:n:qvz0123456789 bytes= lines= quiet silent verbose zero-terminated
tail files c:n:fFqvzs:0123456789 bytes= lines= follow? quiet silent verbose zero-terminated sleep-interval= pid= retry
wc files cmlLw bytes chars lines max-line-length words
sort files bdfgiMhnRrVcCmsuzk:t:S: ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort numeric-sort random-sort reverse version-sort check? key= field-separator= stable unique zero-terminated parallel= buffer-size= month-sort
uniq files:1 cdDiuzf:s:w: count repeated ignore-case unique zero-terminated skip-fields= skip-chars= check-chars=
cut files b:c:d:f:ns bytes= characters= delimiter= fields= only-delimited complement output-delimiter= zero-terminated
tr texts cCdst complement delete squeeze-repeats truncate-set1
paste files d:sz delimiters= serial zero-terminated
join files:2 a:e:i1:2:j:o:t:v:z ignore-case check-order nocheck-order header zero-terminated
comm files:2 123z check-order nocheck-order output-delimiter= total zero-terminated
cmp files:4 bln:s print-bytes verbose bytes= quiet silent
diff files:2 abBdEiNpqstTuwycU:C:W:L: unified? context? text brief ignore-space-change ignore-blank-lines ignore-all-space ignore-case ignore-trailing-space ignore-tab-expansion new-file report-identical-files side-by-side suppress-common-lines minimal color? strip-trailing-cr width= label= show-c-function expand-tabs initial-tab
column files exts:c:o:N:R:H: table separator= output-width= output-separator= table-columns= table-right= json
fold files bsw: bytes spaces width=
fmt files cstuw:g: crown-margin split-only tagged-paragraph uniform-spacing width= goal=
expand,unexpand files ait: initial all tabs= first-only
od files A:t:N:j:w?abcdfilosxv address-radix= format= read-bytes= skip-bytes= width? output-duplicates
hexdump,hd files bcCdovxn:s:e: canonical length= skip= no-squeezing
xxd files:1 - -a -b -e -i -p -ps -u -E -d -C -c= -g= -l= -s= -cols= -len= -seek= -u -autoskip -bits -postscript
strings files aft:n:e: all radix= bytes= encoding= print-file-name
base64,base32,basenc files:1 diw: decode ignore-garbage wrap= base64 base64url base32 base32hex base16
md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,cksum,sum files btza: binary text tag zero algorithm= length= untagged
shasum files a:bt algorithm= binary text
ls,dir,vdir shown aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvw:xXZ1 all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group human-readable si dereference dereference-command-line hide= hyperlink? indicator-style= inode ignore= kibibytes numeric-uid-gid literal quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= zero
stat shown Lfc:txr dereference file-system format= printf= terse
du shown 0aBbcDdhHklLmsSxd:t: null all apparent-size block-size= bytes total dereference-args human-readable si count-links dereference no-dereference separate-dirs summarize one-file-system exclude= max-depth= threshold= time? time-style= inodes
df shown aBhHiklmPTx:t: all block-size= human-readable si inodes local portability print-type total type= exclude-type= output?
tree shown adlfxipsughDFqNQrtcUvCAnSXJL:P:I: noreport dirsfirst filesfirst prune gitignore filelimit= du si inodes device matchdirs ignore-case timefmt= sort= metafirst
realpath,readlink shown efmnqsvzLP canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero strip no-symlinks logical physical relative-to= relative-base=
file files bEhiLNrv0 brief mime mime-type mime-encoding no-pad no-buffer print0 no-dereference dereference extension keep-going
basename,dirname unparsed -
echo,true,false,:,seq,sleep,expr,factor,nproc,tty,logname,uname,id,groups,whoami,users,uptime,free,getconf,cal,which,type,pwd,return,exit,break,continue,shift,numfmt,times,help,umask,ulimit,lscpu,lsblk unparsed -
printf unparsed -
arch unparsed -
jobs unparsed -
test,[ unparsed -
set unparsed -
read texts rsd:n:N:t:p:u:
cd unparsed -
command unparsed -
timeout unparsed -
locale none akmcv all-locales charmaps category-name keyword-name
bc files lqsw
ss texts tulnpaxwH46esmio
hostname none Is all-ip-addresses short
date texts:1 uRI?d:r< utc universal date= iso-8601? rfc-3339= rfc-email reference<
printenv texts 0 null
pgrep texts flaxucnoivP:u:U:G:t:d:s: full list-name list-full exact count newest oldest ignore-case inverse parent= euid= uid= group= terminal= delimiter= session=
ps texts eAfalxjwLTHp:o: -aux sort= no-headers forest cols= width=
grep,egrep,fgrep pattern EFGPe!f<iyvwxcLlom:qsbHhnTUzraA:B:C:IuV0123456789 extended-regexp fixed-strings basic-regexp perl-regexp regexp! file< ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= context= text binary-files= exclude= include= exclude-dir= recursive line-buffered null-data
rg patternTree FPUSisvwxclbnNoHIaqup0.e!A:B:C:m:g:t:T:r:M:d:j:E: regexp! fixed-strings pcre2 multiline multiline-dotall smart-case ignore-case case-sensitive invert-match word-regexp line-regexp count count-matches files-with-matches files-without-match line-number no-line-number only-matching with-filename no-filename text quiet pretty null hidden no-hidden after-context= before-context= context= max-count= glob= iglob= type= type-not= replace= max-columns= max-depth= threads= encoding= files type-list json vimgrep column no-column stats sort= sortr= color= colors= heading no-heading trim passthru no-ignore no-ignore-vcs no-ignore-parent no-ignore-global unrestricted no-messages max-filesize= one-file-system crlf block-buffered line-buffered no-config max-columns-preview debug glob-case-insensitive max-depth= include-zero no-require-git
find,gfind unparsed -
fd,fdfind texts HIugsipa0Lqe:t:d:E:S:F1j: hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path full-path print0 follow quiet extension= type= max-depth= min-depth= exact-depth= exclude= size= changed-within= changed-before= newer= older= max-results= color= threads= strip-cwd-prefix? one-file-system show-errors
sed,gsed texts nErsuze: quiet silent regexp-extended separate unbuffered null-data expression= posix debug sandbox
awk,gawk,mawk,nawk,original-awk unparsed -
jq files rcjaSseCMnR arg= argjson= slurpfile= rawfile= args jsonargs stream seq tab indent= raw-output compact-output join-output ascii-output sort-keys slurp null-input exit-status color-output monochrome-output raw-input
yq files ryYcCMPe0Njp:o: raw-output colors no-colors prettyPrint exit-status no-doc output-format= input-format= null-input
xmllint files - noout nonet format html xpath= recover
git unparsed -
`)
})

// operandKinds are the words for what a program takes as operands.
var operandKinds = map[string]operandKind{
	"none": noOperand, "texts": textOperands, "unparsed": unparsed, "shown": shownFiles, "files": readFiles, "trees": readTrees,
	"pattern": patternRead, "patternTree": patternTree,
}

// optionKinds are the signs behind options.
var optionKinds = map[byte]optionKind{':': textValue, '=': textValue, '<': fileValue, '?': optional, '!': pattern}

// provableTable reads the lines of [provable].
func provableTable(text string) map[string]*provedProgram {
	table := map[string]*provedProgram{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fields := strings.Fields(line)
		kind, most, _ := strings.Cut(fields[1], ":")
		names := strings.Split(fields[0], ",")
		prog := &provedProgram{name: names[0], operands: operandKinds[kind], short: map[byte]optionKind{}, long: map[string]optionKind{"--help": flag, "--version": flag}}
		for _, r := range most {
			prog.most = 10*prog.most + int(r-'0')
		}
		short := strings.TrimPrefix(fields[2], "-")
		for i := range len(short) {
			if optionKinds[short[i]] != 0 {
				continue
			}
			prog.short[short[i]] = flag
			if i+1 < len(short) && optionKinds[short[i+1]] != 0 {
				prog.short[short[i]] = optionKinds[short[i+1]]
			}
		}
		for _, name := range fields[3:] {
			kind := flag
			if sign := optionKinds[name[len(name)-1]]; sign != 0 {
				kind, name = sign, name[:len(name)-1]
			}
			if name[0] != '-' {
				name = "--" + name
			}
			prog.long[name] = kind
		}
		for _, name := range names {
			table[name] = prog
		}
	}
	return table
}
